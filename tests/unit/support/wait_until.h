// Waits for what another thread does.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace rocktable {

// Whether `condition` came true within `limit`, which is for what never happens.
inline bool wait_until(const std::function<bool()>& condition,
                       std::chrono::seconds limit = std::chrono::seconds(60)) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace rocktable
