// Durations as people write them: `300ms`, `1.5s`, `-2h`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// Reads a number and a unit: ms, s, m, h or d. A sign and a fraction are allowed. Returns ticks of 100 ns, or nullopt
// for any other text and for more than 10,000 years.
std::optional<std::int64_t> parse_duration(std::string_view text);

// Writes the same form with the largest unit that needs no fraction, and at most the precision of a millisecond: `90m`.
std::string duration_text(std::int64_t ticks);

inline constexpr std::int64_t kTicksPerMillisecond = 10'000;

}  // namespace rocktable
