#include "server/limits/scan_throttle.h"

#include <doctest/doctest.h>

namespace rocktable {
namespace {

using namespace std::chrono_literals;

const ScanThrottle::Clock::time_point kStart{1h};

TEST_CASE("a scan continues without rest if there are no claims") {
  ScanThrottle way;
  ScanThrottle::Scan scan(way, kStart);
  CHECK(scan.rest(kStart + 10ms) == 0ms);
  way.claim(kStart + 10ms);
  CHECK(scan.rest(kStart + 14ms) > 0ms);
  CHECK(scan.rest(kStart + 16ms) == 0ms);  // five milliseconds without a claim: the claim has expired
}

TEST_CASE("a scan rests after each bit of work, longer than the work") {
  ScanThrottle way;
  ScanThrottle::Scan scan(way, kStart);
  REQUIRE(scan.rest(kStart + 10ms) == 0ms);
  auto now = kStart + 10ms + 100us;
  for (int i = 0; i < 100; ++i) {
    way.claim(now);
    const auto rest = scan.rest(now);
    REQUIRE(rest == 300us);
    now += rest;
    REQUIRE(scan.rest(now) == 0ms);  // it has just rested
    now += 50us;
    REQUIRE(scan.rest(now) == 0ms);
    now += 50us;
  }
  // If rest() is called less often, each rest is longer, up to a limit.
  now += 1ms;
  way.claim(now);
  CHECK(scan.rest(now) == 3 * (1ms + 100us));
  way.claim(now + 1s);
  CHECK(scan.rest(now + 1s) == 100ms);
}

TEST_CASE("a scan of two milliseconds counts as a short request") {
  ScanThrottle way;
  ScanThrottle::Scan scan(way, kStart);
  for (auto now = kStart; now < kStart + 2ms; now += 100us) {
    way.claim(now);
    CHECK(scan.rest(now) == 0ms);
  }
  way.claim(kStart + 2ms);
  CHECK(scan.rest(kStart + 2ms) > 0ms);
}

TEST_CASE("several scans together use as much as one") {
  ScanThrottle way;
  ScanThrottle::Scan scan(way, kStart);
  {
    ScanThrottle::Scan second(way, kStart), third(way, kStart);
    REQUIRE(second.rest(kStart + 10ms) == 0ms);
    way.claim(kStart + 11ms);
    CHECK(second.rest(kStart + 11ms) == 3 * 3ms);
  }
  REQUIRE(scan.rest(kStart + 20ms) == 0ms);
  way.claim(kStart + 21ms);
  CHECK(scan.rest(kStart + 21ms) == 3ms);  // the others have ended
}

}  // namespace
}  // namespace rocktable
