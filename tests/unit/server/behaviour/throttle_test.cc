#include "server/behaviour/throttle.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

DateTime at(double seconds) { return {kUnixEpoch.ticks + static_cast<std::int64_t>(seconds * kTicksPerSecond)}; }

TEST_CASE("a partition accepts a burst of one second, then its rate") {
  Throttle throttle;
  const ThrottleRates rates{100, 1e6};
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) accepted += throttle.admit({"a", "a/t/p"}, rates, 1, at(0)) ? 1 : 0;
  CHECK(accepted == 100);
  accepted = 0;
  for (int i = 0; i < 10'000; ++i) accepted += throttle.admit({"a", "a/t/p"}, rates, 1, at(i * 0.001)) ? 1 : 0;
  CHECK(accepted >= 998);
  CHECK(accepted <= 1000);
}

TEST_CASE("partitions have buckets of their own, and share that of their account") {
  Throttle throttle;
  const ThrottleRates rates{10, 25};
  const auto burst = [&](const char* account, const char* partition) {
    int accepted = 0;
    for (int i = 0; i < 100; ++i) accepted += throttle.admit({account, partition}, rates, 1, at(0)) ? 1 : 0;
    return accepted;
  };
  CHECK(burst("a", "p1") == 10);
  CHECK(burst("a", "p2") == 10);
  CHECK(burst("a", "p3") == 5);
  CHECK(burst("b", "p4") == 10);
}

TEST_CASE("a large request leaves a debt, which is paid off first") {
  Throttle throttle;
  const ThrottleRates rates{10, 1e6};
  CHECK(throttle.admit({"a", "p"}, rates, 100, at(0)));
  CHECK_FALSE(throttle.admit({"a", "p"}, rates, 1, at(9)));
  CHECK(throttle.admit({"a", "p"}, rates, 1, at(9.2)));
}

TEST_CASE("the debt of scans is at most that of a second, and the partition's alone") {
  Throttle throttle;
  const ThrottleRates rates{10, 5};
  CHECK(throttle.admit({"a", "p"}, rates, 1, at(0)));
  throttle.charge_scan({"a", "p"}, rates, 100'000, at(0));
  throttle.charge_scan({"a", ""}, rates, 100'000, at(0));
  CHECK(throttle.admit({"a", "q"}, rates, 1, at(0)));
  CHECK_FALSE(throttle.admit({"a", "p"}, rates, 1, at(1)));
  CHECK(throttle.admit({"a", "p"}, rates, 1, at(1.2)));
  // A scan does not pay the debt of a change set off.
  CHECK(throttle.admit({"a", "s"}, rates, 100, at(2)));
  throttle.charge_scan({"a", "s"}, rates, 1, at(2));
  CHECK_FALSE(throttle.admit({"a", "s"}, rates, 1, at(10.9)));
}

TEST_CASE("an account counts requests, whatever they touch") {
  Throttle throttle;
  const ThrottleRates rates{1000, 2};
  CHECK(throttle.admit({"a", "p"}, rates, 100, at(0)));
  CHECK(throttle.admit({"a", ""}, rates, 1, at(0)));
  CHECK_FALSE(throttle.admit({"a", "q"}, rates, 1, at(0)));
  CHECK(throttle.admit({"b", "p"}, rates, 1, at(0)));
}

TEST_CASE("rates below one a second work, and a clock may be set back") {
  Throttle throttle;
  const ThrottleRates rates{0.5, 1e6};
  CHECK(throttle.admit({"a", "p"}, rates, 1, at(100)));
  CHECK_FALSE(throttle.admit({"a", "p"}, rates, 1, at(50)));
  CHECK_FALSE(throttle.admit({"a", "p"}, rates, 1, at(51)));
  CHECK(throttle.admit({"a", "p"}, rates, 1, at(53)));
}

TEST_CASE("memory does not grow with partitions of the past") {
  Throttle throttle;
  const ThrottleRates rates{10, 1e9};
  for (int i = 0; i < 200'000; ++i) REQUIRE(throttle.admit({"a", "p" + std::to_string(i)}, rates, 1, at(i * 0.01)));
  CHECK(throttle.partitions() < 5'000);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
