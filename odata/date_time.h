// Points in time with the service's precision of 100 ns, and their ISO 8601 text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// 100 ns ticks since 0001-01-01T00:00:00Z, proleptic Gregorian, without leap seconds.
struct DateTime {
  std::int64_t ticks = 0;

  auto operator<=>(const DateTime&) const = default;
};

inline constexpr std::int64_t kTicksPerSecond = 10'000'000;
inline constexpr DateTime kUnixEpoch{621'355'968'000'000'000};
// The range of an Edm.DateTime property: 1601-01-01T00:00:00Z ... 9999-12-31T23:59:59.9999999Z.
inline constexpr DateTime kMinDateTime{504'911'232'000'000'000};
inline constexpr DateTime kMaxDateTime{3'155'378'975'999'999'999};

// The wall clock.
DateTime now();

// Reads yyyy-MM-dd, optionally followed by T (or a space) HH:mm, :ss, a fraction, and `Z` or an offset
// (+hh:mm, -hh:mm, up to 14 hours). Without zone the time is UTC. Years 0001 to 9999, before and after the
// offset. Fraction digits beyond the seventh are cut off. Returns nothing for anything else.
std::optional<DateTime> parse_date_time(std::string_view text);

// yyyy-MM-ddTHH:mm:ss[.f]Z, trailing zeros of the fraction (and an empty fraction) left out: the form in
// entities and ETags.
std::string to_string(DateTime time);
void append_date_time(std::string& out, DateTime time);
// To memory with room for kMaxDateTimeLength characters; returns the end.
inline constexpr std::size_t kMaxDateTimeLength = 28;
char* write_date_time(char* out, DateTime time);

// The same with always seven decimals: the form in error messages and access policies.
std::string to_string_7(DateTime time);

// `Wed, 26 May 2021 15:48:10 GMT`: the form of HTTP headers (RFC 1123).
std::string to_http_date(DateTime time);
inline constexpr std::size_t kHttpDateLength = 29;
// Reads exactly that, the day of the week checked, letters of any case.
std::optional<DateTime> parse_http_date(std::string_view text);

}  // namespace rocktable
