// std::shared_mutex, and on Windows a lock of the system. There std::shared_mutex is the lock of winpthreads, which
// admits an exclusive owner beside shared ones: seven threads that shared one (winpthreads 10.0, by Wine) met an owner
// 200 to 500 times in 100 turns.
#pragma once

#ifndef _WIN32
#include <shared_mutex>
#endif

namespace rocktable {

#ifndef _WIN32

using SharedMutex = std::shared_mutex;

#else

// Its names are those of the standard library, so that its locks work with it.
class SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock();
  void unlock();
  void lock_shared();
  void unlock_shared();

 private:
  void* lock_ = nullptr;  // SRWLOCK
};

#endif

}  // namespace rocktable
