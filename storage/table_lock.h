// A table's lock: those who write to the table share it, who creates, empties or deletes the table has it alone.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace rocktable {

// A shared mutex whose exclusive side does not starve: glibc's lets the shared side in for as long as there
// is somebody, and a table that is written to all the time could not be deleted. Who waits for the exclusive
// side closes the turnstile behind those that are in.
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
  std::shared_mutex mutex_;
};

}  // namespace rocktable
