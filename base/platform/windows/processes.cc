// A child that is a part of this program is started with the command line of this process, and a variable that says
// which part it is. It ends when its standard input ends, so that it also ends in order if this process is killed.
// Commands are in a job, whose processes the system ends with this process.
#include "base/platform/processes.h"

#include <fcntl.h>
#include <io.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <deque>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "base/platform/windows/system/child_process.h"
#include "base/platform/windows/system/command_line.h"
#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

constexpr int kSignalBase = 128;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;
constexpr const wchar_t* kPartVariable = L"_ROCKTABLE_PART";  // the handle to the parent, a blank, the argument

std::atomic<HANDLE> signal_came = nullptr;
std::atomic<int> last_signal = 0;

// The system calls this in a thread of its own.
BOOL WINAPI take_signal(DWORD kind) {
  last_signal = kind == CTRL_C_EVENT ? SIGINT : SIGTERM;
  SetEvent(signal_came);
  // When this returns, the system ends the process. It waits for some seconds before it does so anyway.
  if (kind > CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

std::wstring own_program() {
  std::wstring out(32768, L'\0');
  out.resize(GetModuleFileNameW(nullptr, out.data(), static_cast<DWORD>(out.size())));
  return out;
}

}  // namespace

int Ending::exit_code() const { return number; }

std::string Ending::to_text() const {
  constexpr int kMostPlain = 255;
  if (number >= 0 && number <= kMostPlain) return "exit code " + std::to_string(number);
  char text[32];
  std::snprintf(text, sizeof text, "exit code 0x%08X", static_cast<unsigned>(number));
  return text;
}

int exit_code_of_signal(int signal) { return kSignalBase + signal; }

std::optional<ProgramPart> ProgramPart::of_this_process() {
  wchar_t value[32768];
  const DWORD size = GetEnvironmentVariableW(kPartVariable, value, 32768);
  if (size == 0 || size >= 32768) return std::nullopt;
  SetEnvironmentVariableW(kPartVariable, nullptr);
  const std::string text = to_utf8({value, size});
  const std::size_t blank = text.find(' ');
  Handle pipe(reinterpret_cast<HANDLE>(std::strtoull(text.c_str(), nullptr, 10)));
  if (blank == text.npos || GetFileType(pipe.get()) != FILE_TYPE_PIPE) {
    pipe.release();  // it is not ours
    return std::nullopt;
  }
  SetHandleInformation(pipe.get(), HANDLE_FLAG_INHERIT, 0);
  const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(pipe.release()), _O_BINARY | _O_NOINHERIT);
  return ProgramPart{text.substr(blank + 1), File(descriptor), true};
}

void detach_from_terminal() {
  const int nothing = _wopen(L"NUL", _O_RDWR | _O_BINARY);
  constexpr int kOutput = 1;
  if (nothing >= 0) _dup2(nothing, kOutput);
  if (nothing > 2) _close(nothing);
}

struct Child::State {
  Handle process;
  Handle input;  // of a part: closing it asks the part to stop
};

class Children::Impl {
 public:
  Impl() : signal_(CreateEventW(nullptr, FALSE, FALSE, nullptr)), heard_(CreateEventW(nullptr, TRUE, FALSE, nullptr)) {
    signal_came = signal_.get();
    if (!signal_ || !heard_ || SetConsoleCtrlHandler(take_signal, TRUE) == 0)
      fail_with_last_error("cannot wait for signals");
  }
  ~Impl() {
    SetConsoleCtrlHandler(take_signal, FALSE);
    if (listener_.joinable()) listener_.join();  // the part that it listens to has ended
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Child& add(const PROCESS_INFORMATION& started, Handle input) {
    Child& child = children_.emplace_back();
    child.state_ = std::make_shared<Child::State>(Handle(started.hProcess), std::move(input));
    ResumeThread(started.hThread);
    CloseHandle(started.hThread);
    return child;
  }

  Child& add_ended(int code) {
    Child& child = children_.emplace_back();
    child.state_ = std::make_shared<Child::State>();
    child.ending_ = Ending{code, false};
    return child;
  }

  void listen(Child& child, Handle pipe) {
    speaker_ = &child;
    listener_ = std::thread([this, pipe = std::move(pipe)] {
      std::array<char, 4096> bytes;
      DWORD count = 0;
      while (ReadFile(pipe.get(), bytes.data(), static_cast<DWORD>(bytes.size()), &count, nullptr) != 0)
        text_.append(bytes.data(), count);
      SetEvent(heard_.get());
    });
  }

  Event next(std::optional<std::chrono::milliseconds> timeout);
  HANDLE job() const { return job_.get(); }

 private:
  Handle signal_, heard_;
  Handle job_ = make_job();
  std::deque<Child> children_;
  Child* speaker_ = nullptr;  // the child whose message is not complete
  std::thread listener_;
  std::string text_;  // of the listener until `heard_` is set
};

Children::Event Children::Impl::next(std::optional<std::chrono::milliseconds> timeout) {
  std::vector<HANDLE> waiting{signal_.get()};
  std::vector<Child*> running;
  if (speaker_ != nullptr) waiting.push_back(heard_.get());
  const std::size_t first = waiting.size();
  for (Child& child : children_) {
    if (child.ending_) continue;
    running.push_back(&child);
    waiting.push_back(child.state_->process.get());
  }
  const DWORD result = WaitForMultipleObjects(static_cast<DWORD>(waiting.size()), waiting.data(), FALSE,
                                              timeout ? static_cast<DWORD>(timeout->count()) : INFINITE);
  if (result == WAIT_TIMEOUT) return Event::Timeout;
  if (result >= WAIT_OBJECT_0 + waiting.size()) fail_with_last_error("cannot wait for processes");
  const std::size_t index = result - WAIT_OBJECT_0;
  if (index == 0) return Event::Signal;
  if (index < first) {
    std::exchange(speaker_, nullptr)->message_ = std::move(text_);
    return Event::Message;
  }
  DWORD code = 0;
  GetExitCodeProcess(waiting[index], &code);
  running[index - first]->ending_ = Ending{static_cast<int>(code), false};
  return Event::Ended;
}

Children::Children() : impl_(std::make_unique<Impl>()) {}
Children::~Children() = default;

Child& Children::start_part(const std::string& argument, const std::function<int(ProgramPart&)>& /*work*/) {
  auto [read_message, write_message] = make_pipe();
  auto [read_input, write_input] = make_pipe();
  const Handle inherited = duplicate(write_message.get(), true);
  Streams streams = Streams::of_this_process();
  streams.input = duplicate(read_input.get(), true);
  const auto number = std::to_string(reinterpret_cast<std::uintptr_t>(inherited.get()));
  // Of a group of its own: Ctrl-C does not reach it.
  const auto started =
      create_process({own_program(), GetCommandLineW()}, streams, inherited.get(),
                     environment_with({{to_utf8(kPartVariable), number + " " + argument}}), CREATE_NEW_PROCESS_GROUP);
  if (started.hProcess == nullptr) fail_with_last_error("cannot start a process");
  Child& child = impl_->add(started, std::move(write_input));
  write_message.close();
  impl_->listen(child, std::move(read_message));
  return child;
}

Child& Children::start_program(const char* const* argv, const std::vector<ChangedVariable>& variables) {
  const auto refuse = [&](const std::string& why, int code) -> Child& {
    std::cerr << "rocktable: cannot run " << argv[0] << ": " << why << '\n';
    return impl_->add_ended(code);
  };
  std::optional<WindowsCommand> command;
  try {
    command = find_command_line(argv);
  } catch (const std::runtime_error& error) {
    return refuse(error.what(), kCannotRun);
  }
  if (!command) return refuse("No such file or directory", kNotFound);
  const auto started = create_process(*command, Streams::of_this_process(), nullptr, environment_with(variables), 0);
  if (started.hProcess == nullptr)
    return refuse(std::system_category().message(static_cast<int>(GetLastError())), kCannotRun);
  AssignProcessToJobObject(impl_->job(), started.hProcess);  // fails only in a job that allows no other one in it
  return impl_->add(started, Handle());
}

Children::Event Children::next(std::optional<std::chrono::milliseconds> timeout) { return impl_->next(timeout); }

int Children::signal() const { return last_signal; }

// The system has told all processes of the console.
void Children::forward(Child& /*child*/) {}

void Children::ask_to_stop(Child& part) { part.state_->input.close(); }

void Children::kill(Child& child) {
  if (!child.ending_) TerminateProcess(child.state_->process.get(), kKilled);
}

}  // namespace rocktable
