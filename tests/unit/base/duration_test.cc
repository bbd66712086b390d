#include "base/duration.h"

#include <doctest/doctest.h>

#include "base/date_time.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("a duration is a number and a unit") {
  struct {
    const char* text;
    std::int64_t ticks;
  } cases[] = {{"300ms", 3'000'000},
               {"1.5s", 15'000'000},
               {"+2h", 7200 * kTicksPerSecond},
               {"-15m", -900 * kTicksPerSecond},
               {"1d", 86400 * kTicksPerSecond},
               {"0s", 0},
               {"1e3s", 1000 * kTicksPerSecond}};
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_duration(c.text) == c.ticks);
  }
}

TEST_CASE("any other text is not a duration") {
  for (const char* text : {"", "5", "s", "ms", "5 s", "5sec", "s5", "--5s", "5s5", "1e300d", "nans", "5S"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("a duration is written with the largest unit that fits") {
  for (const char* text : {"0s", "1ms", "1500ms", "90s", "90m", "2h", "-15m", "36h", "2d"})
    CHECK(duration_text(*parse_duration(text)) == text);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
