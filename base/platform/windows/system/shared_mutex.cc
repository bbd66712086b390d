#include "base/threads/shared_mutex.h"

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

SRWLOCK* of(void*& lock) {
  static_assert(sizeof(SRWLOCK) == sizeof lock);
  return reinterpret_cast<SRWLOCK*>(&lock);
}

}  // namespace

void SharedMutex::lock() { AcquireSRWLockExclusive(of(lock_)); }
void SharedMutex::unlock() { ReleaseSRWLockExclusive(of(lock_)); }
void SharedMutex::lock_shared() { AcquireSRWLockShared(of(lock_)); }
void SharedMutex::unlock_shared() { ReleaseSRWLockShared(of(lock_)); }

}  // namespace rocktable
