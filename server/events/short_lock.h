// A lock for a few instructions, which is seldom taken by two threads at once. A mutex would cost more than what it
// protects.
#pragma once

#include <atomic>
#include <thread>

namespace rocktable {

// Does not sleep: hold it for no longer than a copy of some bytes takes.
class ShortLock {
 public:
  void lock() {
    while (is_locked_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { is_locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_locked_ = false;
};

}  // namespace rocktable
