// Reads the clocks around a measurement: those of the CPU outside, the time inside.
#include "bench/stopwatch.h"

namespace rocktable {

Microseconds duration_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - start;
}

Stopwatch::Stopwatch(const Endpoint& server) : server_(server), clocks_(server.cpu_clocks()) {
  if (server.is_started_here()) cpu_.emplace();
}

Microseconds Stopwatch::run(const std::function<void()>& work) {
  const auto server_before = cpu_seconds(clocks_);
  const double client_before = own_cpu_seconds();
  const Microseconds time = duration_of(work);
  const double client = own_cpu_seconds() - client_before;
  time_ += time;
  if (clocks_.empty()) clocks_ = server_.cpu_clocks();  // `work` started the server
  const auto server_after = cpu_seconds(clocks_);
  if (!server_before || !server_after) cpu_.reset();
  if (cpu_) *cpu_ += {client, *server_after - *server_before};
  return time;
}

}  // namespace rocktable
