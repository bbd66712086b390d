// A server that the benchmark starts, measures and stops.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace rocktable {

// Keeps this process, and those that it starts from now on, on one core; without that, the time that an idle core of a
// virtual machine takes to wake up hides everything. `false` lifts it.
void stay_on_one_core(bool one_core);

class Process {
 public:
  // Runs a shell's command in a process group of its own; what it prints is dropped.
  explicit Process(const std::string& command);
  // Ends it in order, if stop() has not.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool is_running();
  // SIGTERM, and the wait for the end.
  void stop();

  // Memory in KiB: resident now, and the most it was since the last reset_peak().
  long resident() const;
  long peak() const;
  void reset_peak() const;

 private:
  pid_t process_ = -1;
};

// A port that was free a moment ago.
std::uint16_t free_port();

}  // namespace rocktable
