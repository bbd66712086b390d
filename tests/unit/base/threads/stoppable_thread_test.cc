#include "base/threads/stoppable_thread.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>

#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {

using namespace std::chrono_literals;

TEST_CASE("a stop ends a wait, at any moment") {
  for (int i = 0; i < 2000; ++i) {
    std::atomic<bool> has_ended = false;
    {
      const StoppableThread thread([&](StopSignal& stop) {
        while (!stop.wait_for(1h)) {
        }
        has_ended = true;
      });
      for (int spin = 0; spin < i % 50 * 100; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    REQUIRE(has_ended);
  }
}

TEST_CASE("a wait without a stop ends after its time") {
  std::atomic<int> rounds = 0;
  StoppableThread thread([&](StopSignal& stop) {
    while (!stop.wait_for(1ms)) ++rounds;
  });
  wait_until([&] { return rounds >= 3; });
  thread.stop();
  const int after = rounds;
  thread.stop();
  CHECK(rounds == after);
}

TEST_CASE("an assignment ends the thread before it") {
  std::atomic<int> running = 0;
  const auto work = [&](StopSignal& stop) {
    ++running;
    stop.wait_for(1h);
    CHECK(stop.is_requested());
    --running;
  };
  StoppableThread thread(work);
  wait_until([&] { return running == 1; });
  thread = StoppableThread();
  CHECK(running == 0);
  thread = StoppableThread(work);
  wait_until([&] { return running == 1; });
}

}  // namespace rocktable::TEST_FILE
