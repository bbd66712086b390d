// Waits for the effect of another thread.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace rocktable {

// Returns whether `condition` became true within `limit`. A passing test does not reach the limit.
inline bool wait_until(const std::function<bool()>& condition, std::chrono::seconds limit = std::chrono::seconds(60)) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace rocktable
