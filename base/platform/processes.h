// Child processes that do not outlive this process, and what comes to it meanwhile: signals, ends of children, and a
// message of a child.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/platform/file.h"

namespace rocktable {

// How a process ended.
struct Ending {
  int number = 0;  // the exit code, or that of the signal that ended the process
  bool by_signal = false;

  // As shells define it: 128 + N if signal N ended the process.
  int exit_code() const;
  // `exit code 1`, `signal 9 (Killed)`
  std::string to_text() const;
};

// A part of this program that runs as a process of its own. It is another process of the same program, which may begin
// with the same command line; then main() gets to a part here by of_this_process().
struct ProgramPart {
  std::string argument;             // from the parent
  File to_parent;                   // for the message: the parent gets it when the part closes this
  bool stops_at_input_end = false;  // the parent ends its standard input, to make it stop

  // The part that this process was started for; nullopt: for none. Always nullopt where the system copies processes
  // (POSIX): the child calls `work` at once.
  static std::optional<ProgramPart> of_this_process();
};

// Detaches this process, which is a part, from the terminal and from standard output, so that a reader of the command's
// output does not wait for this process.
void detach_from_terminal();

// One child.
class Child {
 public:
  // nullopt: it runs.
  const std::optional<Ending>& ending() const { return ending_; }
  // What a part wrote; nullopt until it closed its end, or ended.
  const std::optional<std::string>& message() const { return message_; }

 private:
  friend class Children;
  struct State;

  std::shared_ptr<State> state_;
  std::optional<Ending> ending_;
  std::optional<std::string> message_;
};

// A variable of the environment, and its value; nullopt: it is removed.
using ChangedVariable = std::pair<std::string, std::optional<std::string>>;

// Starts children. While it exists, signals that end or control programs come to next(), one by one. At most one object
// may exist, and no other thread when it is made.
class Children {
 public:
  enum class Event { Signal, Ended, Message, Timeout };

  // Throws std::system_error.
  Children();
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  // Runs `work` in a child, which exits with its result. Throws std::system_error.
  Child& start_part(const std::string& argument, const std::function<int(ProgramPart&)>& work);
  // Runs a program from PATH with the variables of this process, changed as given.
  // If it was not found, the child ends with exit code 127; if it cannot be run, with 126. Its standard error says why.
  // `argv` ends with a null pointer. Throws std::system_error.
  Child& start_program(const char* const* argv, const std::vector<ChangedVariable>& variables);

  // Waits for the next event, and sets the state of the child. Also notices the ends of orphans that process 1 of a
  // container inherits; these are no events.
  Event next(std::optional<std::chrono::milliseconds> timeout = std::nullopt);

  // The signal of the last event.
  int signal() const;

  // Sends the signal of the last event to the child, unless the terminal has sent it: that signals all processes in its
  // foreground, so also the child.
  void forward(Child& child);
  // Asks a part to stop in order.
  void ask_to_stop(Child& part);
  void kill(Child& child);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The exit code of this process after a signal.
int exit_code_of_signal(int signal);

}  // namespace rocktable
