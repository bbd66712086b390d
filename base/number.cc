#include "base/number.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

namespace rocktable {
namespace {

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// std::from_chars reports the same error for numbers that are too large and too small. Returns whether this
// unsigned decimal is too small. The sign of its scientific exponent decides, because no number near 1 is out
// of range.
bool is_tiny(std::string_view digits) {
  const std::size_t exponent_mark = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, exponent_mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first_nonzero = mantissa.find_first_not_of("0.");
  if (first_nonzero == std::string_view::npos) return true;

  std::string_view exponent_text = digits.substr(std::min(exponent_mark + 1, digits.size()));
  const bool negative = exponent_text.starts_with('-');
  if (negative || exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  constexpr std::int64_t kHuge = std::numeric_limits<std::int32_t>::max();  // beyond any text's number of digits
  const std::int64_t exponent =
      exponent_text.empty() ? 0 : std::min(kHuge, parse_integer<std::int64_t>(exponent_text).value_or(kHuge));
  const std::int64_t digits_before_point = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first_nonzero);
  return digits_before_point + (negative ? -exponent : exponent) <= 0;
}

}  // namespace

std::optional<std::int32_t> parse_int32(std::string_view text) { return parse_integer<std::int32_t>(text); }
std::optional<std::int64_t> parse_int64(std::string_view text) { return parse_integer<std::int64_t>(text); }

std::optional<double> parse_double(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;

  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  // std::from_chars would accept a second sign, `inf` and `nan`.
  if (digits.empty() || (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9'))) return std::nullopt;
  double magnitude = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(digits)) return std::nullopt;
    magnitude = 0;
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace rocktable
