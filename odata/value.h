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

#include "base/date_time.h"
#include "base/number.h"

namespace rocktable {

// In the order of the alternatives of Value. The numbers are part of the stored format
// (storage/format/entity_codec.h): append only.
enum class EdmType : std::uint8_t { String, Boolean, Int32, Int64, Double, DateTime, Guid, Binary };

inline constexpr int kEdmTypeCount = 8;

// Bytes in the order of the text form: the first byte is the first two hex digits.
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
using ValueView = std::variant<std::string_view, bool, std::int32_t, std::int64_t, double, DateTime, Guid, BinaryView>;

inline EdmType type_of(const Value& value) { return static_cast<EdmType>(value.index()); }
inline EdmType type_of(const ValueView& value) { return static_cast<EdmType>(value.index()); }

ValueView view_of(const Value& value);
Value to_value(const ValueView& view);

// to_string returns `Edm.Int64` and so on; parse_edm_type returns nullopt for an unknown name.
std::string_view to_string(EdmType type);
std::optional<EdmType> parse_edm_type(std::string_view name);

// Writes a value as a $filter literal, for people and tests: `'it''s'`, `true`, `42`, `42L`, `4.5`,
// `datetime'..'`, `guid'..'`, `X'00ff'`.
std::string to_string(const ValueView& value);

// Reads 8-4-4-4-12 hex digits with hyphens, in any case. The other functions write lower case.
std::optional<Guid> parse_guid(std::string_view text);
void append_guid(std::string& out, const Guid& guid);
// Writes to memory that has room for kGuidLength characters. Returns the end of what was written.
inline constexpr std::size_t kGuidLength = 36;
char* write_guid(char* out, const Guid& guid);

// Writes the service's number format (.NET Framework's "R"). It has 15 significant digits if these are exact,
// else 17. The exponent form (`1E+15`, `4.94065645841247E-324`) is for numbers from 1E+15 on (with 17 digits:
// from 1E+17 on) and below 0.0001. An integral value without exponent ends in `.0`. Special values are `NaN`,
// `Infinity`, `-Infinity`; negative zero is `0.0`.
void append_double(std::string& out, double value);
// Writes to memory that has room for kMaxDoubleLength characters. Returns the end of what was written.
inline constexpr std::size_t kMaxDoubleLength = 32;
char* write_double(char* out, double value);
// Writes the same form, but negative zero as `-0.0`, so that reading the text returns the value to the bit.
char* write_exact_double(char* out, double value);

}  // namespace rocktable
