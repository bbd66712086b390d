// The lock of one table: shared by writes to the table, exclusive to create, empty or delete it.
#pragma once

#include <mutex>

#include "base/threads/shared_mutex.h"

namespace rocktable {

// A shared mutex whose exclusive side does not starve. glibc's shared mutex admits shared owners as long as
// there is one, and so a table with constant writes could never be deleted. Here a waiting exclusive owner
// holds the turnstile, and new shared owners wait behind it.
class TableLock {
 public:
  void lock() {
    const std::lock_guard closed(turnstile_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

  void lock_shared() {
    turnstile_.lock();
    turnstile_.unlock();
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex turnstile_;
  SharedMutex mutex_;
};

}  // namespace rocktable
