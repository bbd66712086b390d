#include "server/program/beside/companion.h"

#include <fcntl.h>
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

constexpr std::size_t kMaxText = 4096;
constexpr int kFirstFile = 3;  // the descriptor of the first file
constexpr int kNotExecuted = 127;
constexpr std::chrono::milliseconds kEndPoll{10};

[[noreturn]] void fail_to_make(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Descriptors of the parent, above those that the child gives to the program.
class StartDescriptors {
 public:
  StartDescriptors() = default;
  ~StartDescriptors() {
    for (const int one : all_) close(one);
  }
  StartDescriptors(const StartDescriptors&) = delete;
  StartDescriptors& operator=(const StartDescriptors&) = delete;

  // Moves a new descriptor up, so that the child does not overwrite it. Throws std::system_error.
  int adopt(int made, std::size_t files) {
    if (made < 0) fail_to_make("cannot start a program");
    const int moved = fcntl(made, F_DUPFD_CLOEXEC, kFirstFile + static_cast<int>(files));
    close(made);
    if (moved < 0) fail_to_make("cannot start a program");
    all_.push_back(moved);
    return moved;
  }

 private:
  std::vector<int> all_;
};

int memory_file(const std::string& contents) {
  const int out = memfd_create("rocktable", MFD_CLOEXEC);
  if (out >= 0 && write(out, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size())) {
    close(out);
    return -1;
  }
  return out;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Becomes the program. Between fork() and execve() a process with threads may only call functions that are safe in
// signal handlers: so everything is prepared by the parent.
[[noreturn]] void become(pid_t parent, int output, int nothing, const std::vector<int>& files, char* const* words,
                         char* const* environment) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotExecuted);  // the parent ended before prctl()
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int next = kFirstFile;
  for (const int file : files) dup2(file, next++);
  close_range(static_cast<unsigned>(next), ~0U, 0);  // listening sockets, the store
  signal(SIGPIPE, SIG_DFL);                          // main() ignores it
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

std::string description_of(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return "exit code " + std::to_string(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

}  // namespace

std::string companion_file(std::size_t place) {
  return "/proc/self/fd/" + std::to_string(static_cast<std::size_t>(kFirstFile) + place);
}

Companion::Companion(const CompanionStart& start) {
  std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, the kernel would discard exit codes
  const std::size_t count = start.contents.size();
  StartDescriptors descriptors;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_to_make("cannot start a program");
  output_ = ends[0];
  try {
    const int output = descriptors.adopt(ends[1], count);
    const int nothing = descriptors.adopt(open("/dev/null", O_RDWR | O_CLOEXEC), count);
    std::vector<int> files;
    for (const auto& contents : start.contents) files.push_back(descriptors.adopt(memory_file(contents), count));
    const auto words = pointers_to(start.words);
    const auto environment = pointers_to(start.environment);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) fail_to_make("cannot start a program");
    if (process_ == 0) become(parent, output, nothing, files, words.data(), environment.data());
  } catch (...) {
    close(output_);
    throw;
  }
}

Companion::~Companion() {
  if (!ended_) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(output_);
}

bool Companion::read_output() {
  char bytes[4096];
  const ssize_t count = read(output_, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text_.append(bytes, static_cast<std::size_t>(count));
  if (text_.size() > kMaxText) text_.erase(0, text_.size() - kMaxText);
  return count > 0;
}

std::string Companion::last_line() const {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t end = text_.find_last_not_of(kBlanks);
  if (end == std::string::npos) return "";
  const std::size_t before = text_.rfind('\n', end);
  const std::size_t begin = text_.find_first_not_of(kBlanks, before == std::string::npos ? 0 : before);
  return text_.substr(begin, end + 1 - begin);
}

void Companion::ask_to_stop() const {
  if (!ended_) kill(process_, SIGTERM);
}

std::optional<std::string> Companion::await_end(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!ended_) {
    int status = 0;
    const pid_t result = waitpid(process_, &status, WNOHANG);
    if (result == process_) ended_ = description_of(status);
    if (result < 0 && errno != EINTR) ended_ = "an unknown exit code";
    if (ended_ || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(kEndPoll);
  }
  return ended_;
}

}  // namespace rocktable
