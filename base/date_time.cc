// std::chrono does the calendar arithmetic. This file reads and writes the digits, without locales and
// streams.
#include "base/date_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr int kFractionDigits = 7;
constexpr std::int64_t kTicksPerMinute = 60 * kTicksPerSecond;
constexpr std::int64_t kTicksPerHour = 60 * kTicksPerMinute;
constexpr std::int64_t kTicksPerDay = 24 * kTicksPerHour;
constexpr std::int64_t kUnixEpochDays = kUnixEpoch.ticks / kTicksPerDay;

constexpr std::array<std::string_view, 7> kDayNames{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonthNames{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Fields {
  int year, month, day, hour, minute, second;
  int fraction;      // ticks
  unsigned weekday;  // 0 is Sunday
};

// Clamps times outside the years 0001..9999 to that range, because a year has four digits here.
Fields fields_of(DateTime time) {
  const std::int64_t ticks = std::clamp<std::int64_t>(time.ticks, 0, kMaxDateTime.ticks);
  const std::int64_t in_day = ticks % kTicksPerDay;
  const std::chrono::sys_days days{std::chrono::days{ticks / kTicksPerDay - kUnixEpochDays}};
  const std::chrono::year_month_day date{days};
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .day = static_cast<int>(static_cast<unsigned>(date.day())),
          .hour = static_cast<int>(in_day / kTicksPerHour),
          .minute = static_cast<int>(in_day % kTicksPerHour / kTicksPerMinute),
          .second = static_cast<int>(in_day % kTicksPerMinute / kTicksPerSecond),
          .fraction = static_cast<int>(in_day % kTicksPerSecond),
          .weekday = std::chrono::weekday{days}.c_encoding()};
}

// Returns the days since 0001-01-01, or nullopt if the calendar has no such day.
std::optional<std::int64_t> days_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (year < 1 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count() + kUnixEpochDays;
}

constexpr auto kPairsOfDigits = [] {
  std::array<std::array<char, 2>, 100> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  return pairs;
}();

template <int Count>
void write_digits(char* out, int number) {
  auto rest = static_cast<unsigned>(number);
  for (int i = Count - 2; i >= 0; i -= 2, rest /= 100) std::memcpy(out + i, kPairsOfDigits[rest % 100].data(), 2);
  if constexpr (Count % 2 != 0) *out = static_cast<char>('0' + rest % 10);
}

constexpr std::string_view kFullForm = "0000-00-00T00:00:00.0000000Z";
static_assert(kFullForm.size() == kMaxDateTimeLength);

void write_full(char* out, DateTime time) {
  const Fields fields = fields_of(time);
  std::copy_n(kFullForm.data(), kFullForm.size(), out);
  write_digits<4>(out, fields.year);
  write_digits<2>(out + 5, fields.month);
  write_digits<2>(out + 8, fields.day);
  write_digits<2>(out + 11, fields.hour);
  write_digits<2>(out + 14, fields.minute);
  write_digits<2>(out + 17, fields.second);
  write_digits<kFractionDigits>(out + 20, fields.fraction);
}

// Reads a text from its front. Functions that return nullopt or false consume nothing.
class DateTimeScanner {
 public:
  explicit DateTimeScanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Reads exactly `count` digits that make a number of at most `max`.
  std::optional<int> number(std::size_t count, int max) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    if (value > max) return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> scan_date(DateTimeScanner& scanner) {
  const auto year = scanner.number(4, 9999);
  if (!year || !scanner.take('-')) return std::nullopt;
  const auto month = scanner.number(2, 12);
  if (!month || !scanner.take('-')) return std::nullopt;
  const auto day = scanner.number(2, 31);
  if (!day) return std::nullopt;
  const auto days = days_of(*year, *month, *day);
  if (!days) return std::nullopt;
  return *days * kTicksPerDay;
}

// Reads HH:mm. Leaves what follows.
std::optional<std::int64_t> scan_hours_and_minutes(DateTimeScanner& scanner, int max_hour) {
  const auto hour = scanner.number(2, max_hour);
  if (!hour || !scanner.take(':')) return std::nullopt;
  const auto minute = scanner.number(2, 59);
  if (!minute) return std::nullopt;
  return *hour * kTicksPerHour + *minute * kTicksPerMinute;
}

// Reads the digits after the decimal point: at least one. Cuts off digits below one tick.
std::optional<std::int64_t> scan_fraction(DateTimeScanner& scanner) {
  std::int64_t ticks = 0;
  std::int64_t unit = kTicksPerSecond;
  auto digit = scanner.number(1, 9);
  if (!digit) return std::nullopt;
  for (; digit; digit = scanner.number(1, 9)) {
    unit /= 10;
    ticks += *digit * unit;
  }
  return ticks;
}

std::optional<std::int64_t> scan_time(DateTimeScanner& scanner) {
  const auto minutes = scan_hours_and_minutes(scanner, 23);
  if (!minutes || !scanner.take(':')) return minutes;
  const auto second = scanner.number(2, 59);
  if (!second) return std::nullopt;
  const std::int64_t ticks = *minutes + *second * kTicksPerSecond;
  if (!scanner.take('.')) return ticks;
  const auto fraction = scan_fraction(scanner);
  if (!fraction) return std::nullopt;
  return ticks + *fraction;
}

// Returns what to subtract to get UTC. Offsets go up to fourteen hours, as on the service's platform.
std::optional<std::int64_t> scan_zone(DateTimeScanner& scanner) {
  if (scanner.at_end() || scanner.take('Z')) return 0;
  const bool east = scanner.take('+');
  if (!east && !scanner.take('-')) return std::nullopt;
  const auto offset = scan_hours_and_minutes(scanner, 14);
  if (!offset || *offset > 14 * kTicksPerHour) return std::nullopt;
  return east ? *offset : -*offset;
}

}  // namespace

DateTime now() {
  using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, kTicksPerSecond>>;
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {kUnixEpoch.ticks + std::chrono::duration_cast<Ticks>(since_epoch).count()};
}

std::optional<DateTime> parse_date_time(std::string_view text) {
  DateTimeScanner scanner(text);
  const auto date = scan_date(scanner);
  if (!date) return std::nullopt;
  if (scanner.at_end()) return DateTime{*date};
  if (!scanner.take('T') && !scanner.take(' ')) return std::nullopt;
  const auto time = scan_time(scanner);
  if (!time) return std::nullopt;
  const auto offset = scan_zone(scanner);
  if (!offset || !scanner.at_end()) return std::nullopt;
  const DateTime result{*date + *time - *offset};
  if (result < DateTime{0} || result > kMaxDateTime) return std::nullopt;
  return result;
}

char* write_date_time(char* out, DateTime time) {
  write_full(out, time);
  char* end = out + kFullForm.size() - 1;  // the Z
  while (end[-1] == '0') --end;            // stops at the decimal point at the latest
  if (end[-1] == '.') --end;
  *end = 'Z';
  return end + 1;
}

void append_date_time(std::string& out, DateTime time) {
  char text[kMaxDateTimeLength];
  out.append(text, write_date_time(text, time));
}

std::string to_string(DateTime time) {
  std::string out;
  append_date_time(out, time);
  return out;
}

std::string to_string_7(DateTime time) {
  std::string out(kFullForm.size(), '\0');
  write_full(out.data(), time);
  return out;
}

namespace {

std::array<char, kHttpDateLength> http_date(DateTime time) {
  const Fields fields = fields_of(time);
  std::array<char, kHttpDateLength> out;
  std::copy_n("Sun, 00 Jan 0000 00:00:00 GMT", kHttpDateLength, out.begin());
  kDayNames[fields.weekday].copy(&out[0], 3);
  write_digits<2>(&out[5], fields.day);
  kMonthNames[static_cast<std::size_t>(fields.month - 1)].copy(&out[8], 3);
  write_digits<4>(&out[12], fields.year);
  write_digits<2>(&out[17], fields.hour);
  write_digits<2>(&out[20], fields.minute);
  write_digits<2>(&out[23], fields.second);
  return out;
}

}  // namespace

std::string to_http_date(DateTime time) {
  const auto text = http_date(time);
  return {text.data(), text.size()};
}

std::optional<DateTime> parse_http_date(std::string_view text) {
  if (text.size() != kHttpDateLength) return std::nullopt;
  const auto number = [text](std::size_t at, std::size_t count) {
    return DateTimeScanner(text.substr(at)).number(count, 9999);
  };
  const auto month = std::find_if(kMonthNames.begin(), kMonthNames.end(), [text](std::string_view name) {
    return equals_ignoring_case(name, text.substr(8, 3));
  });
  const auto day = number(5, 2), year = number(12, 4), hour = number(17, 2), minute = number(20, 2),
             second = number(23, 2);
  if (month == kMonthNames.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const auto days = days_of(*year, static_cast<int>(month - kMonthNames.begin()) + 1, *day);
  if (!days) return std::nullopt;
  const DateTime time{*days * kTicksPerDay + *hour * kTicksPerHour + *minute * kTicksPerMinute +
                      *second * kTicksPerSecond};
  // Formats the time again and compares. This checks the rest: punctuation, the name of the day, and hours,
  // minutes and seconds out of range.
  const auto again = http_date(time);
  if (!equals_ignoring_case({again.data(), again.size()}, text)) return std::nullopt;
  return time;
}

}  // namespace rocktable
