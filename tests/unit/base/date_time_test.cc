// Reading and writing dates and times, and the calendar arithmetic.
#include "base/date_time.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("a date and time is read with every optional part left out, and written in the service's form") {
  const struct {
    std::string_view text, written;
  } cases[] = {
      {"2014-05-07T08:20:53Z", "2014-05-07T08:20:53Z"},
      {"2014-05-07", "2014-05-07T00:00:00Z"},
      {"2014-05-07T08:20", "2014-05-07T08:20:00Z"},
      {"2014-05-07T08:20Z", "2014-05-07T08:20:00Z"},
      {"2014-05-07 08:20:53", "2014-05-07T08:20:53Z"},
      {"2014-05-07T08:20:53", "2014-05-07T08:20:53Z"},
      // Only zeros at the end of the fraction are removed. Recorded from the service.
      {"2014-05-07T08:20:00.000000Z", "2014-05-07T08:20:00Z"},
      {"2014-05-07T08:20:53.200Z", "2014-05-07T08:20:53.2Z"},
      {"2014-05-07T08:20:53.99999Z", "2014-05-07T08:20:53.99999Z"},
      {"2014-05-07T08:20:53.0090043Z", "2014-05-07T08:20:53.0090043Z"},
      {"2014-05-07T08:20:53.0000001Z", "2014-05-07T08:20:53.0000001Z"},
      {"2014-05-07T08:20:53.00000019Z", "2014-05-07T08:20:53.0000001Z"},  // the eighth digit is cut off
      {"2014-05-07T08:20:53.123456789012345678901234567890Z", "2014-05-07T08:20:53.1234567Z"},
      // Offsets.
      {"2014-05-07T08:20:53+02:00", "2014-05-07T06:20:53Z"},
      {"2014-05-07T08:20:53.5-08:30", "2014-05-07T16:50:53.5Z"},
      {"2014-01-01T00:00+14:00", "2013-12-31T10:00:00Z"},
      {"2014-01-01T00:00-00:00", "2014-01-01T00:00:00Z"},
      // Ends of months and of the calendar.
      {"2016-02-29T23:59:59.9999999Z", "2016-02-29T23:59:59.9999999Z"},
      {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
      {"1600-12-31T23:59:59.999Z", "1600-12-31T23:59:59.999Z"},
      {"9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto time = parse_date_time(c.text);
    REQUIRE(time);
    CHECK(to_string(*time) == c.written);
  }
}

TEST_CASE("text that is not a date and time is refused") {
  const std::string_view cases[] = {
      "",
      " ",
      "2014",
      "2014-05",
      "2014-5-7",
      "14-05-07",
      "20140507",
      "12014-05-07",
      "2014-05-07T",
      "2014-05-07Z",
      "2014-05-07T08",
      "2014-05-07T8:20",
      "2014-05-07T08:20:",
      "2014-05-07T08:20:5",
      "2014-05-07T08:20:53.",
      "2014-05-07T08:20:53.Z",
      "2014-05-07T08:20:53.12x",
      "2014-05-07T08:20:53,5Z",
      "2014-05-07t08:20:53Z",
      "2014-05-07T08:20:53z",
      "2014-05-07T08:20:53ZZ",
      "2014-05-07T08:20:53Z ",
      " 2014-05-07T08:20:53Z",
      "2014-05-07T08:20:53 Z",
      "2014-05-07T08:20:53+2",
      "2014-05-07T08:20:53+0200",
      "2014-05-07T08:20:53+02:60",
      "2014-05-07T08:20:53+14:01",
      "2014-05-07T08:20:53+15:00",
      "2014-05-07T24:00:00Z",
      "2014-05-07T08:60:00Z",
      "2014-05-07T08:20:60Z",
      "2014-00-07",
      "2014-13-07",
      "2014-05-00",
      "2014-05-32",
      "2014-04-31",
      "2015-02-29",
      "1900-02-29",
      "0000-01-01",
      "-001-01-01",
      "+014-05-07",
      // In range as written, but not in UTC.
      "0001-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "datetime'2014-05-07T08:20:53Z'",
  };
  for (const std::string_view text : cases) {
    CAPTURE(text);
    CHECK_FALSE(parse_date_time(text));
  }
}

TEST_CASE("ticks count from the year 1") {
  CHECK(parse_date_time("0001-01-01T00:00:00Z") == DateTime{0});
  CHECK(parse_date_time("0001-01-01T00:00:00.0000001Z") == DateTime{1});
  CHECK(parse_date_time("1601-01-01T00:00:00Z") == kMinDateTime);
  CHECK(parse_date_time("1970-01-01T00:00:00Z") == kUnixEpoch);
  CHECK(parse_date_time("9999-12-31T23:59:59.9999999Z") == kMaxDateTime);
}

TEST_CASE("every time survives writing and reading") {
  // A step of about 110 days that is not a multiple of any unit varies all fields over the whole range.
  constexpr std::int64_t kStep = 94'906'265'624'251;
  for (std::int64_t ticks = 0; ticks <= kMaxDateTime.ticks; ticks += kStep) {
    const DateTime time{ticks};
    CAPTURE(ticks);
    REQUIRE(parse_date_time(to_string(time)) == time);
    REQUIRE(parse_date_time(to_string_7(time)) == time);
    REQUIRE(parse_http_date(to_http_date(time)) == whole_second(time));
  }
}

TEST_CASE("a time outside the calendar is written as the nearest time inside, with a year of four digits") {
  CHECK(to_string(DateTime{-1}) == "0001-01-01T00:00:00Z");
  CHECK(to_string(DateTime{kMaxDateTime.ticks + 1}) == "9999-12-31T23:59:59.9999999Z");
  CHECK(to_http_date(DateTime{INT64_MAX}) == "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST_CASE("the seven digit form keeps all zeros") {
  CHECK(to_string_7(*parse_date_time("2021-05-26T15:48:08.4989936Z")) == "2021-05-26T15:48:08.4989936Z");
  CHECK(to_string_7(*parse_date_time("2021-05-26T15:48:08.5Z")) == "2021-05-26T15:48:08.5000000Z");
  CHECK(to_string_7(*parse_date_time("2021-05-26T15:48:00Z")) == "2021-05-26T15:48:00.0000000Z");
}

TEST_CASE("append_date_time keeps the text before it") {
  std::string out = "before ";
  append_date_time(out, kUnixEpoch);
  CHECK(out == "before 1970-01-01T00:00:00Z");
}

TEST_CASE("HTTP dates are read only in the form of RFC 1123") {
  CHECK(parse_http_date("Wed, 26 May 2021 15:48:10 GMT") == parse_date_time("2021-05-26T15:48:10Z"));
  CHECK(parse_http_date("wed, 26 MAY 2021 15:48:10 gmt") == parse_date_time("2021-05-26T15:48:10Z"));
  CHECK(to_http_date(*parse_date_time("2021-05-06T05:08:01.9999999Z")) == "Thu, 06 May 2021 05:08:01 GMT");
  const std::string_view cases[] = {
      "",
      "Wed, 26 May 2021 15:48:10",
      "Wed, 26 May 2021 15:48:10 UTC",
      "Thu, 26 May 2021 15:48:10 GMT",  // it was a Wednesday
      "Wed, 26 Mai 2021 15:48:10 GMT",
      "Wed, 32 May 2021 15:48:10 GMT",
      "Tue, 30 Feb 2021 15:48:10 GMT",
      "Wed, 26 May 2021 24:00:00 GMT",
      "Wed, 26 May 2021 15:60:10 GMT",
      "Wed, 26 May 2021 15:48:60 GMT",
      "Wed; 26 May 2021 15:48:10 GMT",
      "Wed, 26-May-2021 15:48:10 GMT",
      "Wed, 26 May 2021 15-48-10 GMT",
      "Wed, 26 May 2021 15:48:1x GMT",
      "Sat, 01 Jan 0000 00:00:00 GMT",
      "Fri, 31 Dec 9999 23:59:60 GMT",
      "2021-05-26T15:48:10.00000000Z",
  };
  for (const std::string_view text : cases) {
    CAPTURE(text);
    CHECK_FALSE(parse_http_date(text));
  }
}

TEST_CASE("now() is between the year of this test and the next century") {
  CHECK(now() > *parse_date_time("2026-01-01T00:00:00Z"));
  CHECK(now() < *parse_date_time("2126-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
