// A program that runs beside the server, and ends with it, however the server ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rocktable {

// A companion cannot start. The message is a sentence for the user.
class CompanionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CompanionStart {
  std::vector<std::string> words;        // the first is the path of the program
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<std::string> contents;     // of files that only the program reads: companion_file(0), (1), ...
};

// The path at which a companion reads a file of CompanionStart::contents. The file is memory: it leaves nothing on the
// disk, and no other user can open it.
std::string companion_file(std::size_t place);

// One running program. The kernel kills it if the thread that constructed this object ends, for whatever reason: use
// the main thread. Its process has a session of its own, so that Ctrl-C at a terminal reaches the server alone, which
// then stops its companions in order.
class Companion {
 public:
  // Throws std::system_error. A program that cannot be executed ends at once with code 127.
  explicit Companion(const CompanionStart& start);
  // Kills the program if it still runs.
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  // Readable when the program has printed something or has ended.
  int descriptor() const { return output_; }

  // Takes what the program has printed. Returns false if there will be no more: it has ended. Does not block if the
  // descriptor is readable.
  bool read_output();

  // The end of what it has printed so far, at most 4 KiB of both its outputs.
  const std::string& output() const { return text_; }
  // The last line of it that is not blank.
  std::string last_line() const;

  // Sends SIGTERM.
  void ask_to_stop() const;
  // Waits for the end. Returns `exit code 1`, `signal 9 (Killed)`; nullopt after the timeout.
  std::optional<std::string> await_end(std::chrono::milliseconds timeout);

 private:
  pid_t process_ = 0;
  int output_ = -1;
  std::string text_;
  std::optional<std::string> ended_;
};

}  // namespace rocktable
