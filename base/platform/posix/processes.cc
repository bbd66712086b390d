#include "base/platform/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <system_error>

namespace rocktable {
namespace {

constexpr int kBlocked[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
constexpr int kSignalBase = 128;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

[[noreturn]] void fail_with_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Replaces this process. Returns only on failure, with the exit code.
int exec_program(const char* const* argv) {
  std::signal(SIGPIPE, SIG_DFL);  // prepare_process() ignores it for the server
  execvp(argv[0], const_cast<char* const*>(argv));
  const int error = errno;
  std::cerr << "rocktable: cannot run " << argv[0] << ": " << std::strerror(error) << '\n';
  return error == ENOENT ? kNotFound : kCannotRun;
}

}  // namespace

int Ending::exit_code() const { return by_signal ? exit_code_of_signal(number) : number; }

std::string Ending::to_text() const {
  const std::string text = std::to_string(number);
  return by_signal ? "signal " + text + " (" + strsignal(number) + ")" : "exit code " + text;
}

int exit_code_of_signal(int signal) { return kSignalBase + signal; }

std::optional<ProgramPart> ProgramPart::of_this_process() { return std::nullopt; }

void detach_from_terminal() {
  setsid();
  const File nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  dup2(nothing.get(), STDOUT_FILENO);
}

struct Child::State {
  pid_t pid = 0;
};

// Blocks the signals, and receives them from a descriptor.
class Children::Impl {
 public:
  Impl();
  ~Impl() { release(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Forks. The child runs `work` and exits with its result. It gets SIGTERM if this process ends first.
  Child& start(const std::function<int()>& work);
  void await_message(Child& child, File from_child);
  Event next(std::optional<std::chrono::milliseconds> timeout);
  const signalfd_siginfo& signal() const { return signal_; }

 private:
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  bool reap();
  bool read_message();

  sigset_t before_;
  File signals_;
  signalfd_siginfo signal_{};
  std::deque<Child> children_;
  Child* speaker_ = nullptr;  // the child whose message is not complete
  File from_speaker_;
  std::string text_;
};

Children::Impl::Impl() {
  std::signal(SIGCHLD, SIG_DFL);  // inherited SIG_IGN would suppress the signal
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : kBlocked) sigaddset(&blocked, signal);
  if (sigprocmask(SIG_BLOCK, &blocked, &before_) != 0) fail_with_errno("cannot block signals");
  signals_ = File(signalfd(-1, &blocked, SFD_CLOEXEC));
  if (!signals_.is_open()) fail_with_errno("cannot block signals");
}

Child& Children::Impl::start(const std::function<int()>& work) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail_with_errno("cannot start a process");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) std::_Exit(kSignalBase + SIGTERM);  // the parent ended before prctl()
    release();
    std::_Exit(work());
  }
  Child& child = children_.emplace_back();
  child.state_ = std::make_shared<Child::State>(pid);
  return child;
}

void Children::Impl::await_message(Child& child, File from_child) {
  speaker_ = &child;
  from_speaker_ = std::move(from_child);
}

// Reaps all children. As process 1 of a container, this process also inherits orphans. Returns whether one of ours
// ended.
bool Children::Impl::reap() {
  bool out = false;
  int status = 0;
  while (const pid_t ended = waitpid(-1, &status, WNOHANG)) {
    if (ended < 0) break;
    for (Child& child : children_) {
      if (child.state_->pid != ended) continue;
      child.ending_ = WIFSIGNALED(status) ? Ending{WTERMSIG(status), true} : Ending{WEXITSTATUS(status), false};
      out = true;
    }
  }
  return out;
}

// Returns whether the message is complete.
bool Children::Impl::read_message() {
  char bytes[4096];
  const auto count = from_speaker_.read(bytes, sizeof bytes);
  if (!count) return false;
  text_.append(bytes, *count);
  if (*count > 0) return false;
  std::exchange(speaker_, nullptr)->message_ = std::move(text_);
  from_speaker_.close();
  return true;
}

Children::Event Children::Impl::next(std::optional<std::chrono::milliseconds> timeout) {
  for (;;) {
    pollfd waiting[] = {{signals_.get(), POLLIN, 0}, {from_speaker_.get(), POLLIN, 0}};
    const int ready = poll(waiting, speaker_ != nullptr ? 2 : 1, timeout ? static_cast<int>(timeout->count()) : -1);
    if (ready < 0 && errno != EINTR) fail_with_errno("cannot wait for signals");
    if (ready < 0) continue;  // the process was stopped and continued
    if (ready == 0) return Event::Timeout;
    if (waiting[0].revents == 0) {
      if (read_message()) return Event::Message;
      continue;
    }
    if (::read(signals_.get(), &signal_, sizeof signal_) != sizeof signal_) continue;
    if (signal_.ssi_signo != SIGCHLD) return Event::Signal;
    if (reap()) return Event::Ended;
  }
}

Children::Children() : impl_(std::make_unique<Impl>()) {}
Children::~Children() = default;

Child& Children::start_part(const std::string& argument, const std::function<int(ProgramPart&)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_with_errno("cannot create a pipe");
  File read(ends[0]), write(ends[1]);
  Child& child = impl_->start([&] {
    read.close();
    ProgramPart part{argument, std::move(write)};
    return work(part);
  });
  impl_->await_message(child, std::move(read));
  return child;
}

Child& Children::start_program(const char* const* argv, const std::vector<ChangedVariable>& variables) {
  return impl_->start([&] {
    for (const auto& [name, value] : variables)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    return exec_program(argv);
  });
}

Children::Event Children::next(std::optional<std::chrono::milliseconds> timeout) { return impl_->next(timeout); }

int Children::signal() const { return static_cast<int>(impl_->signal().ssi_signo); }

void Children::forward(Child& child) {
  const bool from_terminal = impl_->signal().ssi_code == SI_KERNEL;
  if (!from_terminal) ::kill(child.state_->pid, signal());
}

void Children::ask_to_stop(Child& part) {
  if (!part.ending_) ::kill(part.state_->pid, SIGTERM);
}

void Children::kill(Child& child) {
  if (!child.ending_) ::kill(child.state_->pid, SIGKILL);
}

}  // namespace rocktable
