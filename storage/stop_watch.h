// Measures the time that a call spends in the store.
#pragma once

#include <chrono>

namespace rocktable {

// Adds its lifetime to `total`.
class StopWatch {
 public:
  explicit StopWatch(std::chrono::nanoseconds& total) : total_(total) {}
  ~StopWatch() { total_ += std::chrono::steady_clock::now() - start_; }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  std::chrono::nanoseconds& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rocktable
