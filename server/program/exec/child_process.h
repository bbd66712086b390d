// Starts child processes that do not outlive this process, and receives signals meanwhile.
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string_view>

namespace rocktable {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return number_; }
  void close();

 private:
  int number_;
};

// Writes all of a text. Returns false if that fails, such as when the reader is gone.
bool write_all(const Descriptor& to, std::string_view text);

struct Pipe {
  Descriptor read, write;

  // Throws std::system_error.
  static Pipe make();
};

// Blocks the signals that end or control programs, and SIGCHLD, so that next() receives them one by one.
// start_child() restores the previous signal mask in the child. Only for single-threaded processes.
class BlockedSignals {
 public:
  // Throws std::system_error.
  BlockedSignals();
  ~BlockedSignals() { release(); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // Returns the next signal; nullopt after the timeout.
  std::optional<signalfd_siginfo> next(std::optional<std::chrono::milliseconds> timeout = std::nullopt);

  // Readable while a signal is pending.
  int descriptor() const { return descriptor_.get(); }

  void release() const;

 private:
  sigset_t before_;
  Descriptor descriptor_;
};

// Returns whether the terminal sent the signal. The terminal signals the whole foreground process group,
// which includes the command, so that such a signal need not be forwarded.
bool is_from_terminal(const signalfd_siginfo& signal);

// Forks. The child runs `work` and exits with its result. It gets SIGTERM if this process ends first. Throws
// std::system_error.
pid_t start_child(const BlockedSignals& signals, const std::function<int()>& work);

// Returns the exit code as shells define it: 128 + N if signal N ended the child.
int exit_code_of(int wait_status);

// Replaces this process by a program from PATH. Returns only on failure, with the exit code: 127 the program
// was not found, 126 it cannot be run. `argv` ends with a null pointer.
int exec_program(const char* const* argv);

}  // namespace rocktable
