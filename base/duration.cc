#include "base/duration.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/date_time.h"
#include "base/number.h"

namespace rocktable {
namespace {

// Descending.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{{
    {"d", 86400 * kTicksPerSecond},
    {"h", 3600 * kTicksPerSecond},
    {"m", 60 * kTicksPerSecond},
    {"s", kTicksPerSecond},
    {"ms", kTicksPerMillisecond},
}};

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  const auto digits = text.find_last_of("0123456789");
  if (digits == text.npos) return std::nullopt;
  const auto number = text.starts_with('.') ? std::nullopt : parse_double(text.substr(0, digits + 1));
  if (!number) return std::nullopt;
  for (const auto& [unit, ticks] : kUnits) {
    if (text.substr(digits + 1) != unit) continue;
    const double out = *number * static_cast<double>(ticks);
    if (std::abs(out) > static_cast<double>(kMaxDateTime.ticks)) return std::nullopt;
    return std::llround(out);
  }
  return std::nullopt;
}

std::string duration_text(std::int64_t ticks) {
  if (ticks == 0) return "0s";
  for (const auto& [unit, size] : kUnits)
    if (ticks % size == 0) return std::to_string(ticks / size) + std::string(unit);
  return std::to_string(ticks / kTicksPerMillisecond) + "ms";
}

}  // namespace rocktable
