#include "storage/postgres/database/pg_retry_policy.h"

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

// Sleeps at once, and remembers for how long it was asked to.
class Sleeper final : public Waiter {
 public:
  Sleeper() { running() = this; }
  ~Sleeper() override { running() = nullptr; }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  Clock::time_point since() const override { return Clock::now(); }
  void sleep_for(Clock::duration time) override { pauses.push_back(time); }
  bool await_socket(int, short, Clock::time_point) override { return false; }
  std::function<void()> waker() override { return nullptr; }
  bool sleep(Clock::time_point) override { return true; }
  void run_blocking(const std::function<void()>& work) override { work(); }

  std::vector<Clock::duration> pauses;
};

TEST_CASE("pauses get longer, up to a quarter of a second, and are not the same for all") {
  PgHealth health({});
  std::vector<Waiter::Clock::duration> longest(20);
  for (int round = 0; round < 200; ++round) {
    Sleeper sleeper;
    PgRetryPolicy retry(health, Waiter::Clock::now() + 1h);
    for (std::size_t i = 0; i < longest.size(); ++i) REQUIRE(retry.pause());
    for (std::size_t i = 0; i < longest.size(); ++i) longest[i] = std::max(longest[i], sleeper.pauses[i]);
  }
  CHECK(longest[0] <= 1ms);
  CHECK(longest[4] <= 16ms);
  CHECK(longest[4] > 8ms);  // 200 times below it by chance: never
  CHECK(longest[19] <= 256ms);
  CHECK(longest[19] > 128ms);
}

TEST_CASE("nothing is tried after the deadline, and no pause goes beyond it") {
  PgHealth health({});
  Sleeper sleeper;
  PgRetryPolicy late(health, Waiter::Clock::now() - 1ms);
  CHECK_FALSE(late.pause());
  CHECK(sleeper.pauses.empty());
  PgRetryPolicy soon(health, Waiter::Clock::now() + 100ms);
  for (int i = 0; i < 20; ++i) soon.pause();
  for (const auto pause : sleeper.pauses) CHECK(pause <= 100ms);
}

TEST_CASE("nothing is tried once nobody shall wait any more") {
  PgHealth health({});
  Sleeper sleeper;
  PgRetryPolicy retry(health, Waiter::Clock::now() + 1h);
  CHECK(retry.pause());
  health.stop_waiting();
  CHECK_FALSE(retry.pause());
  CHECK(sleeper.pauses.size() == 1);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
