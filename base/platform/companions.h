// Programs that run beside this one, and end with it, however it ends: where they are, files that only they read, what
// they print, how they end.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/file.h"
#include "base/platform/processes.h"

namespace rocktable {

// Returns the program of this path, with the ending that names of programs have on Windows and that the path may omit.
// Returns nullopt if there is no file that this user may run.
std::optional<std::filesystem::path> program_at(const std::filesystem::path& path);

// The folders in the text of a variable such as PATH, in their order; empty names are left out.
std::vector<std::filesystem::path> folders_in(std::string_view text);

// A file for companions. Only this user can read it, on Linux only the companions. It is gone when this object and the
// companions that have it open are, also if this process is killed.
class PrivateFile {
 public:
  // Throws std::system_error.
  explicit PrivateFile(std::string_view contents);

  // UTF-8. On Linux valid in the companions that are started with the file.
  const std::string& path() const { return path_; }
  int descriptor() const { return file_.get(); }

 private:
  File file_;
  std::string path_;
};

struct CompanionStart {
  std::vector<std::string> words;          // the first is the path of the program
  std::vector<ChangedVariable> variables;  // the others are those of this process
  std::vector<const PrivateFile*> files;   // that it may open
};

// The signal that Companion::ask_to_stop() sends, by the name that programs give to it: `SIGTERM`, `SIGBREAK`.
extern const std::string_view kStopSignal;

// One running program. The kernel kills it if this process ends, for whatever reason; on Linux also if the thread that
// constructed this object ends: use the main thread. Ctrl-C at a terminal reaches this process alone, which then stops
// its companions in order. A companion inherits its two outputs, an empty input, and its files; nothing else.
class Companion {
 public:
  enum class Output {
    Some,  // it has printed something
    None,  // not until the timeout or interrupt()
    End    // it prints no more: it has ended, or will at once
  };

  // Throws std::system_error. A program that cannot be executed ends at once with code 127; it prints why.
  explicit Companion(const CompanionStart& start);
  // Kills the program if it still runs.
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  // Waits until the program prints something on one of its outputs, and appends a part of it to the text.
  Output await_output(std::string& text, std::optional<std::chrono::milliseconds> timeout = std::nullopt);
  // Ends the current call of await_output(), and all later ones. Thread-safe.
  void interrupt();

  // Sends kStopSignal. Kills the program if that cannot be sent.
  void ask_to_stop();
  // Waits for the end; nullopt after the timeout.
  std::optional<Ending> await_end(std::chrono::milliseconds timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rocktable
