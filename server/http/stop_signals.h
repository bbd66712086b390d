// SIGINT and SIGTERM, as requests to stop in order.
#pragma once

#include <chrono>

namespace rocktable {

// Within this time after the first signal another one repeats the same request: GNU timeout signals its child, and then the
// group that the child is in. A person who presses Ctrl-C again is slower.
inline constexpr std::chrono::milliseconds kSameRequest{500};

// From its construction on the first signal is kept for whoever watches the descriptor; a later one, after kSameRequest, ends
// the process at once. Where a signal came, this stays so until the process ends; else the destructor restores what there
// was before. One at a time.
class StopSignals {
 public:
  // Throws std::system_error.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Readable once a signal has come.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace rocktable
