// Takes the duration of a measurement, and the CPU time that the benchmark and the server used meanwhile.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "bench/cpu_time.h"
#include "bench/endpoint.h"

namespace rocktable {

using Microseconds = std::chrono::duration<double, std::micro>;

// Returns how long `work` takes.
Microseconds duration_of(const std::function<void()>& work);

class Stopwatch {
 public:
  // The server may be started by `work`. Processes that it starts later are not counted.
  explicit Stopwatch(const Endpoint& server);

  // Adds the times of `work` to the sums. Returns its duration. What happens between two calls is not counted.
  Microseconds run(const std::function<void()>& work);

  Microseconds time() const { return time_; }
  // Returns nullopt if the benchmark did not start the server, or if the server ended.
  std::optional<CpuTimes> cpu() const { return cpu_; }

 private:
  const Endpoint& server_;
  CpuClocks clocks_;
  Microseconds time_{0};
  std::optional<CpuTimes> cpu_;
};

}  // namespace rocktable
