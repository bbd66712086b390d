#include "base/threads/shared_mutex.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "storage/rocksdb/concurrency/table_lock.h"

namespace rocktable::TEST_FILE {

TEST_CASE_TEMPLATE("an exclusive owner is alone", Lock, SharedMutex, TableLock) {
  constexpr int kSharing = 7, kRounds = 20, kOwners = 50;
  for (int round = 0; round < kRounds; ++round) {  // a lock that is new to its threads
    Lock lock;
    std::atomic<int> sharing = 0, together = 0;
    std::atomic<bool> owned = false, running = true;
    std::vector<std::thread> threads;
    for (int i = 0; i < kSharing; ++i)
      threads.emplace_back([&] {
        while (running) {
          {
            const std::shared_lock guard(lock);
            ++sharing;
            together += owned;
            std::this_thread::yield();
            together += owned;
            --sharing;
          }
          std::this_thread::yield();
        }
      });
    for (int i = 0; i < kOwners; ++i) {
      const std::unique_lock guard(lock);
      owned = true;
      together += sharing;
      if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      together += sharing;
      owned = false;
    }
    running = false;
    for (auto& thread : threads) thread.join();
    REQUIRE(together == 0);
  }
}

}  // namespace rocktable::TEST_FILE
