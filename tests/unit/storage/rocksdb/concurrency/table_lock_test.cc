#include "storage/rocksdb/concurrency/table_lock.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace rocktable::TEST_FILE {

TEST_CASE("the exclusive owner of the lock of a table is alone") {
  constexpr int kSharing = 7, kRounds = 20, kTurns = 100;
  for (int round = 0; round < kRounds; ++round) {  // a lock that is new to its threads
    TableLock lock;
    std::atomic<int> sharing = 0, meetings = 0;
    std::atomic<bool> is_owned = false, running = true;
    std::vector<std::thread> threads;
    threads.reserve(kSharing);
    for (int i = 0; i < kSharing; ++i)
      threads.emplace_back([&] {
        while (running) {
          const std::shared_lock guard(lock);
          ++sharing;
          meetings += is_owned;
          std::this_thread::yield();
          meetings += is_owned;
          --sharing;
        }
      });
    for (int turn = 0; turn < kTurns; ++turn) {
      const std::lock_guard guard(lock);
      is_owned = true;
      meetings += sharing;
      if (turn % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      meetings += sharing;
      is_owned = false;
    }
    running = false;
    for (auto& thread : threads) thread.join();
    REQUIRE(meetings == 0);
  }
}

}  // namespace rocktable::TEST_FILE
