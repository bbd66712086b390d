#include "server/limits/scan_throttle.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

const ScanThrottle::Clock::time_point kStart{1h};
constexpr int kOwn = 0, kSecond = 0, kThird = 0, kOther = 0;  // their addresses identify connections

TEST_CASE("a scan continues without rest if there are no short requests") {
  ScanThrottle throttle;
  ScanThrottle::Scan scan(throttle, kStart, &kOwn);
  CHECK(scan.rest(kStart + 10ms) == 0ms);
  throttle.note_request(kStart + 10ms, &kOther);
  CHECK(scan.rest(kStart + 14ms) > 0ms);
  CHECK(scan.rest(kStart + 16ms) == 0ms);  // five milliseconds without a request: the last one does not count any more
}

TEST_CASE("a scan rests after each bit of work, longer than the work") {
  ScanThrottle throttle;
  ScanThrottle::Scan scan(throttle, kStart, &kOwn);
  REQUIRE(scan.rest(kStart + 10ms) == 0ms);
  auto now = kStart + 10ms + 100us;
  for (int i = 0; i < 100; ++i) {
    throttle.note_request(now, &kOther);
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
  throttle.note_request(now, &kOther);
  CHECK(scan.rest(now) == 3 * (1ms + 100us));
  throttle.note_request(now + 1s, &kOther);
  CHECK(scan.rest(now + 1s) == 100ms);
}

TEST_CASE("a scan of two milliseconds counts as a short request") {
  ScanThrottle throttle;
  ScanThrottle::Scan scan(throttle, kStart, &kOwn);
  for (auto now = kStart; now < kStart + 2ms; now += 100us) {
    throttle.note_request(now, &kOther);
    CHECK(scan.rest(now) == 0ms);
  }
  throttle.note_request(kStart + 2ms, &kOther);
  CHECK(scan.rest(kStart + 2ms) > 0ms);
}

TEST_CASE("earlier requests of its own connection do not throttle a scan, later ones of others do") {
  ScanThrottle throttle;
  throttle.note_request(kStart - 100us, &kOwn);
  ScanThrottle::Scan scan(throttle, kStart, &kOwn);
  CHECK(scan.rest(kStart + 3ms) == 0ms);
  throttle.note_request(kStart + 4ms, &kOther);
  CHECK(scan.rest(kStart + 4ms) > 0ms);
}

TEST_CASE("several scans together use as much as one") {
  ScanThrottle throttle;
  ScanThrottle::Scan scan(throttle, kStart, &kOwn);
  {
    ScanThrottle::Scan second(throttle, kStart, &kSecond), third(throttle, kStart, &kThird);
    REQUIRE(second.rest(kStart + 10ms) == 0ms);
    throttle.note_request(kStart + 11ms, &kOther);
    CHECK(second.rest(kStart + 11ms) == 3 * 3ms);
  }
  REQUIRE(scan.rest(kStart + 20ms) == 0ms);
  throttle.note_request(kStart + 21ms, &kOther);
  CHECK(scan.rest(kStart + 21ms) == 3ms);  // the others have ended
}

}  // namespace
}  // namespace rocktable::TEST_FILE
