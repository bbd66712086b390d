#include <doctest/doctest.h>

#include "server/right_of_way.h"

namespace rocktable {
namespace {

using namespace std::chrono_literals;

const RightOfWay::Clock::time_point kStart{1h};

TEST_CASE("a scan works on where nobody claims the way") {
  RightOfWay way;
  RightOfWay::Scan scan(way, kStart);
  CHECK(scan.rest(kStart + 10ms) == 0ms);
  way.claim(kStart + 10ms);
  CHECK(scan.rest(kStart + 14ms) > 0ms);
  CHECK(scan.rest(kStart + 16ms) == 0ms);  // five milliseconds without a claim: they have gone
}

TEST_CASE("a scan rests after each bit of work, longer than it worked") {
  RightOfWay way;
  RightOfWay::Scan scan(way, kStart);
  auto now = kStart + 10ms;
  for (int i = 0; i < 100; ++i) {
    way.claim(now);
    const auto rest = scan.rest(now);
    REQUIRE(rest > 0ms);
    now += rest;
    REQUIRE(scan.rest(now) == 0ms);  // it has just rested
    now += 50us;
    REQUIRE(scan.rest(now) == 0ms);
    now += 50us;
  }
  const auto elapsed = now - (kStart + 10ms);
  CHECK(elapsed >= 4 * 100 * 100us);
  CHECK(elapsed <= 5 * 100 * 100us);
}

TEST_CASE("a scan of two milliseconds is a short request itself") {
  RightOfWay way;
  RightOfWay::Scan scan(way, kStart);
  for (auto now = kStart; now < kStart + 2ms; now += 100us) {
    way.claim(now);
    CHECK(scan.rest(now) == 0ms);
  }
  way.claim(kStart + 2ms);
  CHECK(scan.rest(kStart + 2ms) > 0ms);
}

TEST_CASE("several scans together take as much as one") {
  RightOfWay way;
  RightOfWay::Scan scan(way, kStart);
  way.claim(kStart + 10ms);
  const auto alone = scan.rest(kStart + 10ms);
  way.claim(kStart + 20ms);
  {
    RightOfWay::Scan second(way, kStart), third(way, kStart);
    CHECK(second.rest(kStart + 20ms) == 3 * alone);
  }
  CHECK(scan.rest(kStart + 20ms) == alone);  // the others have ended
}

}  // namespace
}  // namespace rocktable
