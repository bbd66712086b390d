// Points in time with the service's precision of 100 ns, and their ISO 8601 and HTTP text forms.
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

// The time without its fraction of a second. For times from 0001 on.
constexpr DateTime whole_second(DateTime time) { return {time.ticks - time.ticks % kTicksPerSecond}; }

// Reads the wall clock.
DateTime now();

// Reads yyyy-MM-dd, optionally followed by T (or a space) HH:mm, :ss, a fraction, and `Z` or an offset
// (+hh:mm, -hh:mm, up to 14 hours). Without a zone the time is UTC. The year must be 0001 to 9999, before and
// after the offset is applied. Cuts off fraction digits beyond the seventh. Returns nullopt for any other
// text.
std::optional<DateTime> parse_date_time(std::string_view text);

// Writes yyyy-MM-ddTHH:mm:ss[.f]Z, without trailing zeros of the fraction and without an empty fraction.
// Entities and ETags use this form.
std::string to_string(DateTime time);
void append_date_time(std::string& out, DateTime time);
// Writes to memory that has room for kMaxDateTimeLength characters. Returns the end of what was written.
inline constexpr std::size_t kMaxDateTimeLength = 28;
char* write_date_time(char* out, DateTime time);

// Writes the same form, but always with seven decimals. Error messages and access policies use it.
std::string to_string_7(DateTime time);

// Writes `Wed, 26 May 2021 15:48:10 GMT`, the form of HTTP headers (RFC 1123).
std::string to_http_date(DateTime time);
inline constexpr std::size_t kHttpDateLength = 29;
// Reads exactly the form of to_http_date, with letters of any case. Checks the day of the week.
std::optional<DateTime> parse_http_date(std::string_view text);

}  // namespace rocktable
