// Each companion is in a job of its own, whose processes the system ends with this process: a batch file, as those of
// npm, starts its program as a further process. It is also in a process group of its own, which Ctrl-Break can reach.
#include "base/platform/companions.h"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/platform/windows/system/child_process.h"
#include "base/platform/windows/system/command_line.h"
#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

constexpr int kNotExecuted = 127;
constexpr std::chrono::milliseconds kEndPoll{10};
constexpr const char* kCannotStart = "cannot start a program";

Handle make_event() {
  Handle out(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!out) fail_with_last_error(kCannotStart);
  return out;
}

// The ends to read, which does not wait, and to write, which children inherit.
std::pair<Handle, Handle> make_output_pipe() {
  const std::wstring name = L"\\\\.\\pipe\\rocktable-" + random_letters();
  constexpr DWORD kBytes = 64 << 10;
  OwnerOnly owner_only;
  Handle read(CreateNamedPipeW(name.c_str(), PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                               PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, kBytes,
                               kBytes, 0, owner_only.get()));
  if (!read) fail_with_last_error(kCannotStart);
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  Handle write(
      CreateFileW(name.c_str(), GENERIC_WRITE | FILE_READ_ATTRIBUTES, 0, &inherited, OPEN_EXISTING, 0, nullptr));
  if (!write) fail_with_last_error(kCannotStart);
  return {std::move(read), std::move(write)};
}

bool has_console() { return GetConsoleCP() != 0; }

bool break_group(DWORD group) { return GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) != 0; }

// Ctrl-Break reaches the groups of the console that this process has. Without one, the companion has one of its own,
// and this process takes that for a moment.
bool send_break(DWORD group) {
  if (has_console()) return break_group(group);
  constexpr DWORD kStreams[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  std::array<HANDLE, 3> streams{};
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i] = GetStdHandle(kStreams[i]);
  FreeConsole();  // Wine has a substitute that is none
  const bool out = AttachConsole(group) != 0 && break_group(group);
  FreeConsole();
  for (std::size_t i = 0; i < streams.size(); ++i) SetStdHandle(kStreams[i], streams[i]);  // attaching changes them
  return out;
}

}  // namespace

const std::string_view kStopSignal = "SIGBREAK";

std::optional<fs::path> program_at(const fs::path& path) { return find_program_at(fs::path(path).make_preferred()); }

std::vector<fs::path> folders_in(std::string_view text) { return split_folders(to_wide(text)); }

// Its handle deletes it, so that the system does so if this process is killed. Only programs that let others delete a
// file which they have open can open it: Node is one, and so are those that use File. The C library does not.
PrivateFile::PrivateFile(std::string_view contents) {
  const fs::path place = fs::absolute(fs::temp_directory_path() / (L"rocktable-" + random_letters()));
  OwnerOnly owner_only;
  Handle handle(CreateFileW(place.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                            owner_only.get(), CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
                            nullptr));
  if (!handle) fail_with_last_error("cannot create a temporary file");
  file_ = File(_open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), _O_RDWR | _O_BINARY | _O_NOINHERIT));
  if (file_.is_open()) handle.release();
  if (!file_.is_open() || !file_.write_all(contents))
    throw std::system_error(errno, std::generic_category(), "cannot write a temporary file");
  path_ = to_utf8(place.wstring());
}

struct Companion::State {
  Handle process;
  DWORD group = 0;
  Handle job = make_job();
  Handle output;
  Handle has_read = make_event(), interrupted = make_event();
  OVERLAPPED reading{};
  bool is_reading = false;
  std::array<char, 4096> bytes{};
  std::string refusal;  // why the program cannot be executed; it is printed once
  std::optional<Ending> ending;

  ~State() {
    if (!is_reading) return;
    CancelIoEx(output.get(), &reading);
    DWORD count = 0;
    GetOverlappedResult(output.get(), &reading, &count, TRUE);
  }

  void start(const CompanionStart& start);

  void refuse(std::string why) {
    refusal = std::move(why);
    ending = Ending{kNotExecuted, false};
  }

  bool begin_read() {
    reading = {};
    reading.hEvent = has_read.get();
    is_reading = ReadFile(output.get(), bytes.data(), static_cast<DWORD>(bytes.size()), nullptr, &reading) != 0 ||
                 GetLastError() == ERROR_IO_PENDING;
    return is_reading;
  }

  bool runs() const { return WaitForSingleObject(process.get(), 0) == WAIT_TIMEOUT; }

  // Also of those that the program has started.
  bool have_all_ended() const {
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION info{};
    return !runs() && (QueryInformationJobObject(job.get(), JobObjectBasicAccountingInformation, &info, sizeof info,
                                                 nullptr) == 0 ||
                       info.ActiveProcesses == 0);
  }
};

void Companion::State::start(const CompanionStart& start) {
  std::vector<const char*> argv;
  for (const auto& word : start.words) argv.push_back(word.c_str());
  argv.push_back(nullptr);
  std::optional<WindowsCommand> command;
  try {
    command = find_command_line(argv.data());
  } catch (const std::runtime_error& error) {
    return refuse(error.what());
  }
  if (!command) return refuse("No such file or directory");
  auto [read, write] = make_output_pipe();
  output = std::move(read);
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  Streams streams;
  streams.input = Handle(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr));
  streams.error = duplicate(write.get(), true);
  streams.output = std::move(write);
  const auto started = create_process(*command, streams, nullptr, environment_with(start.variables),
                                      CREATE_NEW_PROCESS_GROUP | (has_console() ? 0 : CREATE_NO_WINDOW));
  if (started.hProcess == nullptr) return refuse(std::system_category().message(static_cast<int>(GetLastError())));
  process = Handle(started.hProcess);
  group = started.dwProcessId;
  const Handle thread(started.hThread);
  if (AssignProcessToJobObject(job.get(), started.hProcess) == 0) {
    const DWORD error = GetLastError();
    TerminateProcess(started.hProcess, kKilled);
    throw std::system_error(static_cast<int>(error), std::system_category(), kCannotStart);
  }
  ResumeThread(thread.get());
}

Companion::Companion(const CompanionStart& start) : state_(std::make_unique<State>()) { state_->start(start); }

Companion::~Companion() {
  TerminateJobObject(state_->job.get(), kKilled);
  if (state_->process) WaitForSingleObject(state_->process.get(), INFINITE);
}

Companion::Output Companion::await_output(std::string& text, std::optional<std::chrono::milliseconds> timeout) {
  State& state = *state_;
  if (!state.refusal.empty()) {
    text += std::exchange(state.refusal, {});
    return Output::Some;
  }
  if (!state.output || (!state.is_reading && !state.begin_read())) return Output::End;
  const HANDLE waiting[] = {state.interrupted.get(), state.has_read.get()};
  const DWORD result =
      WaitForMultipleObjects(2, waiting, FALSE, timeout ? static_cast<DWORD>(timeout->count()) : INFINITE);
  if (result != WAIT_OBJECT_0 + 1) return Output::None;
  state.is_reading = false;
  DWORD count = 0;
  if (GetOverlappedResult(state.output.get(), &state.reading, &count, FALSE) != 0) {
    text.append(state.bytes.data(), count);
    return Output::Some;
  }
  // The system cancels what a thread has begun when that ends.
  return GetLastError() == ERROR_OPERATION_ABORTED ? await_output(text, timeout) : Output::End;
}

void Companion::interrupt() { SetEvent(state_->interrupted.get()); }

// While the program runs, the number of its group cannot be that of others.
void Companion::ask_to_stop() {
  if (state_->ending) return;
  if (!state_->runs() || !send_break(state_->group)) TerminateJobObject(state_->job.get(), kKilled);
}

std::optional<Ending> Companion::await_end(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!state_->ending) {
    if (state_->have_all_ended()) {
      DWORD code = 0;
      GetExitCodeProcess(state_->process.get(), &code);
      state_->ending = Ending{static_cast<int>(code), false};
    }
    if (state_->ending || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(kEndPoll);
  }
  return state_->ending;
}

}  // namespace rocktable
