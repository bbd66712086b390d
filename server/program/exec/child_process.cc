#include "server/program/exec/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <system_error>
#include <utility>

namespace rocktable {
namespace {

constexpr int kBlocked[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
constexpr int kSignalBase = 128;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

bool write_all(const Descriptor& to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(to.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Pipe Pipe::make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot create a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

BlockedSignals::BlockedSignals() {
  std::signal(SIGCHLD, SIG_DFL);  // inherited SIG_IGN would suppress the signal
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : kBlocked) sigaddset(&blocked, signal);
  if (sigprocmask(SIG_BLOCK, &blocked, &before_) != 0) fail("cannot block signals");
  descriptor_ = Descriptor(signalfd(-1, &blocked, SFD_CLOEXEC));
  if (descriptor_.get() < 0) fail("cannot block signals");
}

std::optional<signalfd_siginfo> BlockedSignals::next(std::optional<std::chrono::milliseconds> timeout) {
  pollfd readable{descriptor_.get(), POLLIN, 0};
  int ready = -1;
  do {
    ready = poll(&readable, 1, timeout ? static_cast<int>(timeout->count()) : -1);
  } while (ready < 0 && errno == EINTR);  // the process was stopped and continued
  if (ready < 0) fail("cannot wait for signals");
  signalfd_siginfo signal;
  if (ready == 0 || read(descriptor_.get(), &signal, sizeof signal) != sizeof signal) return std::nullopt;
  return signal;
}

void BlockedSignals::release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool is_from_terminal(const signalfd_siginfo& signal) { return signal.ssi_code == SI_KERNEL; }

pid_t start_child(const BlockedSignals& signals, const std::function<int()>& work) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail("cannot start a process");
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) std::_Exit(kSignalBase + SIGTERM);  // the parent ended before prctl()
  signals.release();
  std::_Exit(work());
}

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalBase + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int exec_program(const char* const* argv) {
  std::signal(SIGPIPE, SIG_DFL);  // main() ignores it for the server
  execvp(argv[0], const_cast<char* const*>(argv));
  const int error = errno;
  std::cerr << "rocktable: cannot run " << argv[0] << ": " << std::strerror(error) << '\n';
  return error == ENOENT ? kNotFound : kCannotRun;
}

}  // namespace rocktable
