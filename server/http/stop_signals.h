// SIGINT and SIGTERM, as requests to stop in order.
#pragma once

#include <chrono>

namespace rocktable {

// A second signal within this time repeats the same request: GNU timeout signals its child, and then the process group
// of the child. A person who presses Ctrl-C again is slower.
inline constexpr std::chrono::milliseconds kSameRequest{500};

// Handles the two signals from its construction on. The first one makes the descriptor readable. A later one, after
// kSameRequest, ends the process at once. The destructor restores the former handlers if no signal came; else they stay
// until the process ends. At most one object may exist.
class StopSignals {
 public:
  // Throws std::system_error.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Becomes readable with the first signal.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace rocktable
