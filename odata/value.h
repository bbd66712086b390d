// The eight Edm types of the table service as one value, owned or viewed, and the text forms of their
// literals.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "odata/date_time.h"

namespace rocktable {

// In the order of the alternatives of Value. The numbers are part of the stored format
// (storage/format/entity_codec.h): append only.
enum class EdmType : std::uint8_t { String, Boolean, Int32, Int64, Double, DateTime, Guid, Binary };

inline constexpr int kEdmTypeCount = 8;

// In the order of the text form: the first byte is the first two hex digits.
struct Guid {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Guid&) const = default;
};

struct Binary {
  std::string bytes;

  bool operator==(const Binary&) const = default;
};

struct BinaryView {
  std::string_view bytes;

  bool operator==(const BinaryView&) const = default;
};

using Value = std::variant<std::string, bool, std::int32_t, std::int64_t, double, DateTime, Guid, Binary>;
using ValueView =
    std::variant<std::string_view, bool, std::int32_t, std::int64_t, double, DateTime, Guid, BinaryView>;

inline EdmType type_of(const Value& value) { return static_cast<EdmType>(value.index()); }
inline EdmType type_of(const ValueView& value) { return static_cast<EdmType>(value.index()); }

ValueView view_of(const Value& value);
Value to_value(const ValueView& view);

// `Edm.Int64` and so on; nothing for an unknown name.
std::string_view to_string(EdmType type);
std::optional<EdmType> parse_edm_type(std::string_view name);

// A value as a $filter literal, for people and tests: `'it''s'`, `true`, `42`, `42L`, `4.5`, `datetime'..'`,
// `guid'..'`, `X'00ff'`.
std::string to_string(const ValueView& value);

// 8-4-4-4-12 hex digits, hyphens required, any case. Written in lower case.
std::optional<Guid> parse_guid(std::string_view text);
void append_guid(std::string& out, const Guid& guid);
// To memory with room for kGuidLength characters; returns the end.
inline constexpr std::size_t kGuidLength = 36;
char* write_guid(char* out, const Guid& guid);

// All characters must be part of the number; nothing for an overflow.
std::optional<std::int32_t> parse_int32(std::string_view text);
std::optional<std::int64_t> parse_int64(std::string_view text);

// Decimal with optional sign, fraction and exponent; and `NaN`, `Infinity`, `-Infinity`. Nothing for anything
// else (`INF`, hex). A magnitude too large for a double: nothing; one too small: zero.
std::optional<double> parse_double(std::string_view text);

// The service's number format (.NET Framework's "R"): 15 significant digits where they are exact, else 17;
// exponent form (`1E+15`, `4.94065645841247E-324`) where that many digits do not reach the point (from 1E+15
// on, else 1E+17) and below 0.0001; `.0` after an integral value without exponent; `NaN`, `Infinity`,
// `-Infinity`. Negative zero: `0.0`.
void append_double(std::string& out, double value);
// To memory with room for kMaxDoubleLength characters; returns the end.
inline constexpr std::size_t kMaxDoubleLength = 32;
char* write_double(char* out, double value);
// The same, but negative zero as `-0.0`: for text that is read back as the value to the bit.
char* write_exact_double(char* out, double value);

}  // namespace rocktable
