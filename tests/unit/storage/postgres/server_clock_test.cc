#include "storage/postgres/server_clock.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNoon = 638'000'000'000'000'000;
constexpr std::int64_t kSecond = kTicksPerSecond;

TEST_CASE("a clock that goes on sets no bound") {
  ServerClock clock;
  const ServerClock::Clock::time_point start;
  CHECK(clock.observe(kNoon, start) == std::nullopt);
  CHECK(clock.observe(kNoon + kSecond, start + 1s) == std::nullopt);
  CHECK(clock.observe(kNoon + kSecond * 3 / 2, start + 2s) == std::nullopt);  // the answer took half a second
  CHECK(clock.observe(kNoon + 100 * kSecond, start + 3s) == std::nullopt);    // it was set forward
}

TEST_CASE("a clock that is behind gives the time that the one before would have, until it has come up with it") {
  ServerClock clock;
  const ServerClock::Clock::time_point start;
  clock.observe(kNoon, start);
  CHECK(clock.observe(kNoon - 59 * kSecond, start + 1s) == kNoon + kSecond);
  CHECK(clock.observe(kNoon - 58 * kSecond, start + 2s) == kNoon + 2 * kSecond);
  CHECK(clock.observe(kNoon + 3 * kSecond, start + 3s) == std::nullopt);
}

TEST_CASE("a clock that runs slower by little does not count as behind, however long") {
  ServerClock clock;
  ServerClock::Clock::time_point now;
  std::int64_t ticks = kNoon;
  for (int i = 0; i < 10'000; ++i) {
    CHECK(clock.observe(ticks, now) == std::nullopt);
    ticks += kSecond * 999 / 1000;
    now += 1s;
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
