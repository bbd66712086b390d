// A server that the benchmark starts, measures and stops.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "bench/cpu_time.h"

namespace rocktable {

// Keeps this process and its later child processes on one core. Otherwise the wake-up time of idle cores of a
// virtual machine hides all differences. `false` removes the limit.
void pin_to_one_core(bool one_core);

class Process {
 public:
  // Runs a shell command in a new process group. Discards its output.
  explicit Process(const std::string& command);
  // Stops the process as stop() does, unless it is stopped already.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool is_running();
  // Sends SIGTERM and waits for the end.
  void stop();

  // Memory in KiB: resident now, and the maximum since the last reset_peak().
  long resident() const;
  long peak() const;
  void reset_peak() const;

  // The clocks of this process and its present children.
  CpuClocks cpu_clocks() const { return cpu_clocks_of_group(process_); }

 private:
  pid_t process_ = -1;
};

// Returns a port that was free a moment ago.
std::uint16_t free_port();

}  // namespace rocktable
