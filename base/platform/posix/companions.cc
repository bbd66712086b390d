#include "base/platform/companions.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

namespace rocktable {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstFree = STDERR_FILENO + 1;
constexpr int kNotExecuted = 127;
constexpr std::chrono::milliseconds kEndPoll{10};

// Of a new descriptor. Moves it above the standard streams, which the child overwrites. Throws std::system_error.
File checked(int made) {
  if (made >= 0 && made < kFirstFree) {
    const File low(made);
    made = fcntl(made, F_DUPFD_CLOEXEC, kFirstFree);
  }
  if (made < 0) throw std::system_error(errno, std::generic_category(), "cannot start a program");
  return File(made);
}

std::vector<std::string> environment_with(const std::vector<ChangedVariable>& variables) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry), name = text.substr(0, text.find('='));
    if (std::none_of(variables.begin(), variables.end(), [&](const auto& changed) { return changed.first == name; }))
      out.emplace_back(text);
  }
  for (const auto& [name, value] : variables)
    if (value) out.push_back(name + "=" + *value);
  return out;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Becomes the program. Between fork() and execve() a process with threads may only call functions that are safe in
// signal handlers: so everything is prepared by the parent. `files` are sorted.
[[noreturn]] void become(pid_t parent, int output, int nothing, const std::vector<int>& files, char* const* words,
                         char* const* environment) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotExecuted);  // the parent ended before prctl()
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int next = kFirstFree;  // closes all but the files: listening sockets, the store
  for (const int file : files) {
    if (file > next) close_range(static_cast<unsigned>(next), static_cast<unsigned>(file - 1), 0);
    fcntl(file, F_SETFD, 0);
    next = file + 1;
  }
  close_range(static_cast<unsigned>(next), ~0U, 0);
  signal(SIGPIPE, SIG_DFL);  // main() ignores it
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(words[0], words, environment);
  const char* const reason = strerrordesc_np(errno);
  if (reason != nullptr) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, reason, std::strlen(reason));
  }
  _exit(kNotExecuted);
}

}  // namespace

const std::string_view kStopSignal = "SIGTERM";

std::optional<fs::path> program_at(const fs::path& path) {
  std::error_code error;
  return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, error) ? std::optional(path) : std::nullopt;
}

std::vector<fs::path> folders_in(std::string_view text) {
  std::vector<fs::path> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// The file is memory: it leaves nothing on the disk.
PrivateFile::PrivateFile(std::string_view contents)
    : file_(checked(memfd_create("rocktable", MFD_CLOEXEC))), path_("/proc/self/fd/" + std::to_string(file_.get())) {
  if (!file_.write_all(contents)) throw std::system_error(errno, std::generic_category(), "cannot write a file");
}

struct Companion::State {
  pid_t process = 0;
  File output;
  File interrupted;  // an eventfd; readable: await_output() must end
  std::optional<Ending> ending;
};

Companion::Companion(const CompanionStart& start) : state_(std::make_unique<State>()) {
  std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, the kernel would discard exit codes
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  state_->output = checked(ends[0]);
  const File output = checked(ends[1]);
  const File nothing = checked(open("/dev/null", O_RDWR | O_CLOEXEC));
  state_->interrupted = checked(eventfd(0, EFD_CLOEXEC));
  std::vector<int> files;
  files.reserve(start.files.size());
  for (const PrivateFile* file : start.files) files.push_back(file->descriptor());
  std::sort(files.begin(), files.end());
  const auto variables = environment_with(start.variables);
  const auto words = pointers_to(start.words), environment = pointers_to(variables);
  const pid_t parent = getpid();
  state_->process = fork();
  if (state_->process < 0) throw std::system_error(errno, std::generic_category(), "cannot start a program");
  if (state_->process == 0) become(parent, output.get(), nothing.get(), files, words.data(), environment.data());
}

Companion::~Companion() {
  if (state_->ending) return;
  kill(state_->process, SIGKILL);
  waitpid(state_->process, nullptr, 0);
}

Companion::Output Companion::await_output(std::string& text, std::optional<std::chrono::milliseconds> timeout) {
  pollfd waiting[] = {{state_->interrupted.get(), POLLIN, 0}, {state_->output.get(), POLLIN, 0}};
  int ready = -1;
  do {
    ready = poll(waiting, 2, timeout ? static_cast<int>(timeout->count()) : -1);
  } while (ready < 0 && errno == EINTR);  // the process was stopped and continued
  if (ready <= 0 || waiting[0].revents != 0) return Output::None;
  char bytes[4096];
  const auto count = state_->output.read(bytes, sizeof bytes);
  if (!count || *count == 0) return Output::End;
  text.append(bytes, *count);
  return Output::Some;
}

void Companion::interrupt() { eventfd_write(state_->interrupted.get(), 1); }

void Companion::ask_to_stop() {
  if (!state_->ending) kill(state_->process, SIGTERM);
}

std::optional<Ending> Companion::await_end(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  auto& ending = state_->ending;
  while (!ending) {
    int status = 0;
    const pid_t result = waitpid(state_->process, &status, WNOHANG);
    if (result == state_->process)
      ending = WIFSIGNALED(status) ? Ending{WTERMSIG(status), true} : Ending{WEXITSTATUS(status), false};
    if (result < 0 && errno != EINTR) ending = Ending{kNotExecuted, false};  // nobody knows its exit code
    if (ending || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(kEndPoll);
  }
  return ending;
}

}  // namespace rocktable
