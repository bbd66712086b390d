// std::mutex. Builds with assertions count how many a thread holds, so that a wait can assert that it is none.
#pragma once

#include <mutex>

namespace rocktable {

#ifdef NDEBUG

using Mutex = std::mutex;

#else

class Mutex {
 public:
  void lock() {
    mutex_.lock();
    ++held();
  }
  bool try_lock() {
    const bool is_locked = mutex_.try_lock();
    if (is_locked) ++held();
    return is_locked;
  }
  void unlock() {
    --held();
    mutex_.unlock();
  }

  // How many this thread holds.
  static int& held() {
    thread_local int count = 0;
    return count;
  }

 private:
  std::mutex mutex_;
};

#endif

}  // namespace rocktable
