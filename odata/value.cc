// Edm values to text and back. Uses std::from_chars and std::to_chars for numbers: they are fast, exact, and
// independent of locales.
#include "odata/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <system_error>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::array<std::string_view, kEdmTypeCount> kTypeNames{
    "Edm.String", "Edm.Boolean", "Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.DateTime", "Edm.Guid", "Edm.Binary"};

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr auto kHexPairs = [] {
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kHexDigits[i >> 4], kHexDigits[i & 0x0Fu]};
  return pairs;
}();

// The value of each hex digit, of either case; -1 for all other characters.
constexpr auto kHexValues = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kHexDigits.size(); ++i) {
    const char digit = kHexDigits[i];
    const char upper = digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
    values[static_cast<unsigned char>(digit)] = values[static_cast<unsigned char>(upper)] = static_cast<signed char>(i);
  }
  return values;
}();

int guid_digit(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

// Returns whether the text form has a hyphen before this byte.
bool hyphen_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

constexpr int kExactDigits = std::numeric_limits<double>::digits10;           // 15: all survive a double
constexpr int kSufficientDigits = std::numeric_limits<double>::max_digits10;  // 17: enough to tell them apart

// Has room for d[.ddd]e±xxx with 17 digits.
using ScientificBuffer = std::array<char, 32>;

struct Scientific {
  std::array<char, kSufficientDigits> digits;  // without the decimal point
  int count;                                   // of digits: at least one, without trailing zeros
  int exponent;                                // of the first digit
  int precision;                               // the number of digits it was rounded to

  char* write_digits(char* out, int from, int to) const {
    return std::copy(digits.begin() + from, digits.begin() + to, out);
  }
};

Scientific parse_scientific(std::string_view text, int precision) {
  const std::size_t mark = text.find('e');
  const std::string_view fraction = mark > 1 ? text.substr(2, mark - 2) : std::string_view();
  Scientific result{{text[0]}, 1, 0, precision};
  std::copy(fraction.begin(), fraction.end(), result.digits.begin() + 1);
  result.count += static_cast<int>(fraction.find_last_not_of('0') + 1);
  std::string_view exponent = text.substr(mark + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  result.exponent = parse_int32(exponent).value_or(0);
  return result;
}

std::string_view rounded(ScientificBuffer& buffer, double magnitude, int precision) {
  const auto [end, error] =
      std::to_chars(buffer.begin(), buffer.end(), magnitude, std::chars_format::scientific, precision - 1);
  return {buffer.begin(), end};
}

// Returns 15 digits if they read back as the same number, else 17.
Scientific digits_of(double magnitude) {
  ScientificBuffer buffer;
  if (std::isnormal(magnitude)) {
    // A decimal of up to 15 digits survives the conversion to double and back. So a shortest form of at most
    // 15 digits is also the form rounded to 15.
    const auto [end, error] = std::to_chars(buffer.begin(), buffer.end(), magnitude, std::chars_format::scientific);
    Scientific shortest = parse_scientific({buffer.begin(), end}, kExactDigits);
    if (shortest.count <= kExactDigits) return shortest;
    // A shortest form of 17 digits is the nearest one, and so also the form rounded to 17.
    shortest.precision = kSufficientDigits;
    if (shortest.count == kSufficientDigits) return shortest;
  } else {
    // Denormals have fewer bits: 5E-324 would be the shortest form, 4.94065645841247E-324 is the rounded one.
    const std::string_view exact = rounded(buffer, magnitude, kExactDigits);
    if (parse_double(exact) == magnitude) return parse_scientific(exact, kExactDigits);
  }
  return parse_scientific(rounded(buffer, magnitude, kSufficientDigits), kSufficientDigits);
}

char* write_with_exponent(char* out, const Scientific& number) {
  *out++ = number.digits[0];
  if (number.count > 1) {
    *out++ = '.';
    out = number.write_digits(out, 1, number.count);
  }
  *out++ = 'E';
  *out++ = number.exponent < 0 ? '-' : '+';
  const int magnitude = std::abs(number.exponent);
  if (magnitude < 10) *out++ = '0';
  return std::to_chars(out, out + std::numeric_limits<int>::digits10, magnitude).ptr;
}

char* write_without_exponent(char* out, const Scientific& number) {
  if (number.exponent < 0) {
    *out++ = '0';
    *out++ = '.';
    out = std::fill_n(out, -number.exponent - 1, '0');
    return number.write_digits(out, 0, number.count);
  }
  const int before_point = number.exponent + 1;
  const int given = std::min(before_point, number.count);
  out = number.write_digits(out, 0, given);
  out = std::fill_n(out, before_point - given, '0');
  *out++ = '.';
  if (given == number.count) *out++ = '0';
  return number.write_digits(out, given, number.count);
}

std::string string_literal(std::string_view text) {  // not `quoted`: std has that name
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out += '\'';
}

std::string double_literal(double value) {
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  std::string out;
  append_double(out, value);
  return out;
}

std::string guid_literal(const Guid& guid) {
  std::string out = "guid'";
  append_guid(out, guid);
  return out += '\'';
}

std::string binary_literal(std::string_view bytes) {
  std::string out = "X'";
  for (const char c : bytes) out.append(kHexPairs[static_cast<unsigned char>(c)].data(), 2);
  return out += '\'';
}

}  // namespace

ValueView view_of(const Value& value) {
  return std::visit(Overloaded{[](const std::string& text) -> ValueView { return std::string_view(text); },
                               [](const Binary& binary) -> ValueView { return BinaryView{binary.bytes}; },
                               [](const auto& scalar) -> ValueView { return scalar; }},
                    value);
}

Value to_value(const ValueView& view) {
  return std::visit(Overloaded{[](std::string_view text) -> Value { return std::string(text); },
                               [](BinaryView binary) -> Value { return Binary{std::string(binary.bytes)}; },
                               [](const auto& scalar) -> Value { return scalar; }},
                    view);
}

std::string_view to_string(EdmType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<EdmType> parse_edm_type(std::string_view name) {
  const auto found = std::ranges::find_if(kTypeNames, [name](std::string_view one) {  // size and last letter are unique
    return one.size() == name.size() && one.back() == name.back() && one == name;
  });
  if (found == kTypeNames.end()) return std::nullopt;
  return static_cast<EdmType>(found - kTypeNames.begin());
}

std::string to_string(const ValueView& value) {
  return std::visit(Overloaded{[](std::string_view text) { return string_literal(text); },
                               [](bool truth) { return std::string(truth ? "true" : "false"); },
                               [](std::int32_t number) { return std::to_string(number); },
                               [](std::int64_t number) { return std::to_string(number) + 'L'; },
                               [](double number) { return double_literal(number); },
                               [](DateTime time) { return "datetime'" + to_string(time) + '\''; },
                               [](const Guid& guid) { return guid_literal(guid); },
                               [](BinaryView binary) { return binary_literal(binary.bytes); }},
                    value);
}

std::optional<Guid> parse_guid(std::string_view text) {
  if (text.size() != kGuidLength) return std::nullopt;
  Guid guid;
  std::size_t at = 0;
  int seen = 0;  // negative after any other character
  for (std::size_t i = 0; i < guid.bytes.size(); ++i, at += 2) {
    if (hyphen_before(i) && text[at++] != '-') return std::nullopt;
    const int high = guid_digit(text[at]), low = guid_digit(text[at + 1]);
    seen |= high | low;
    guid.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return seen < 0 ? std::nullopt : std::optional(guid);
}

char* write_guid(char* out, const Guid& guid) {
  for (std::size_t i = 0; i < guid.bytes.size(); ++i) {
    if (hyphen_before(i)) *out++ = '-';
    out = std::copy_n(kHexPairs[guid.bytes[i]].begin(), 2, out);
  }
  return out;
}

void append_guid(std::string& out, const Guid& guid) {
  char text[kGuidLength];
  out.append(text, write_guid(text, guid));
}

char* write_double(char* out, double value) {
  const auto write = [out](std::string_view text) { return std::copy(text.begin(), text.end(), out); };
  if (std::isnan(value)) return write("NaN");
  if (std::isinf(value)) return write(value < 0 ? "-Infinity" : "Infinity");
  if (value == 0) return write("0.0");
  if (value < 0) *out++ = '-';
  const Scientific number = digits_of(std::abs(value));
  const bool fixed = number.exponent >= -4 && number.exponent < number.precision;
  return fixed ? write_without_exponent(out, number) : write_with_exponent(out, number);
}

char* write_exact_double(char* out, double value) {
  if (value == 0 && std::signbit(value)) *out++ = '-';
  return write_double(out, value);
}

void append_double(std::string& out, double value) {
  char text[kMaxDoubleLength];
  out.append(text, write_double(text, value));
}

}  // namespace rocktable
