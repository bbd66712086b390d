// Text to numbers, independent of locales.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rocktable {

// Return nullopt if any character does not belong to the number, and on overflow.
std::optional<std::int32_t> parse_int32(std::string_view text);
std::optional<std::int64_t> parse_int64(std::string_view text);

// Reads a decimal with optional sign, fraction and exponent, or `NaN`, `Infinity`, `-Infinity`. Returns
// nullopt for any other text (`INF`, hex) and for a magnitude that is too large. A magnitude that is too
// small becomes zero.
std::optional<double> parse_double(std::string_view text);

}  // namespace rocktable
