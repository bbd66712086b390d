#include "base/time_source.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("the time is that of the wall clock until it is turned") {
  const TimeSource time;
  const DateTime before = now();
  const DateTime between = time.now();
  CHECK(before <= between);
  CHECK(between <= now());
  CHECK(time.setting().offset == 0);
  CHECK_FALSE(time.setting().frozen);
}

TEST_CASE("an offset moves the time, which goes on") {
  TimeSource time;
  time.set({.offset = -3600 * kTicksPerSecond, .frozen = {}});
  CHECK(time.now().ticks < now().ticks - 3599 * kTicksPerSecond);
  const DateTime first = time.now();
  while (time.now() == first) {
  }
  CHECK(time.now() > first);
}

TEST_CASE("a frozen time stands still until it is released") {
  TimeSource time;
  const DateTime moment{kUnixEpoch.ticks + 1};
  time.set({.offset = 0, .frozen = moment});
  CHECK(time.now() == moment);
  CHECK(time.setting().frozen == moment);
  time.set({});
  CHECK(time.now() > moment);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
