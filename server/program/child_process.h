// Processes that this one starts, which do not outlive it, and the signals that reach it meanwhile.
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>

namespace rocktable {

// A file descriptor with an owner. Programs that are started do not inherit it.
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

struct Pipe {
  Descriptor read, write;

  // Throws std::system_error.
  static Pipe make();
};

// Keeps the signals that end or steer programs, and SIGCHLD, for this process to take one by one. Children start with
// what there was before. For processes of one thread.
class HeldSignals {
 public:
  // Throws std::system_error.
  HeldSignals();
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // The next one; nothing where none comes in time.
  std::optional<signalfd_siginfo> next(std::optional<std::chrono::milliseconds> timeout = std::nullopt);

  // Readable while there is one to take.
  int descriptor() const { return descriptor_.get(); }

  void release() const;

 private:
  sigset_t before_;
  Descriptor descriptor_;
};

// What the terminal sends reaches the whole foreground process group, and so the command without our doing.
bool is_from_terminal(const signalfd_siginfo& signal);

// Forks; the child runs `work` and ends with its exit code, by SIGTERM where this process ends first. Throws
// std::system_error.
pid_t start_child(const HeldSignals& signals, const std::function<int()>& work);

// As shells count it: 128 + N where signal N ended the child.
int exit_code_of(int wait_status);

// Replaces this process by a program that is looked up in PATH; returns the exit code to end with where that fails: 127
// it is not there, 126 it cannot be run. `argv` ends with a null.
int become(const char* const* argv);

}  // namespace rocktable
