#include "client/migration/value_conversion.h"

#include <cmath>
#include <limits>

#include "odata/plain_text.h"

namespace rocktable::migration {
namespace {

template <class Integer>
std::optional<Value> to_integer(double number) {
  // The largest Int64 is not representable as a double; the first double that does not fit is one above.
  constexpr double kEnd = -static_cast<double>(std::numeric_limits<Integer>::min());
  if (std::trunc(number) != number || number < -kEnd || number >= kEnd) return std::nullopt;
  return static_cast<Integer>(number);
}

std::optional<Value> from_integer(std::int64_t number, EdmType type) {
  switch (type) {
    case EdmType::Boolean:
      if (number != 0 && number != 1) return std::nullopt;
      return number == 1;
    case EdmType::Int32:
      if (number != static_cast<std::int32_t>(number)) return std::nullopt;
      return static_cast<std::int32_t>(number);
    case EdmType::Int64:
      return number;
    case EdmType::Double: {
      const auto real = static_cast<double>(number);
      return to_integer<std::int64_t>(real) == std::optional<Value>(number) ? std::optional<Value>(real) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

struct ToType {
  EdmType type;

  std::optional<Value> operator()(std::string_view text) const { return parse_plain_text(type, text); }
  std::optional<Value> operator()(bool value) const { return from_integer(value ? 1 : 0, type); }
  std::optional<Value> operator()(std::int32_t number) const { return from_integer(number, type); }
  std::optional<Value> operator()(std::int64_t number) const { return from_integer(number, type); }
  std::optional<Value> operator()(double number) const {
    if (type == EdmType::Int32) return to_integer<std::int32_t>(number);
    if (type == EdmType::Int64) return to_integer<std::int64_t>(number);
    return std::nullopt;
  }
  std::optional<Value> operator()(const auto&) const { return std::nullopt; }
};

}  // namespace

std::optional<Value> convert(const ValueView& value, EdmType type) {
  if (type_of(value) == type) return to_value(value);
  if (type == EdmType::String) {
    std::string text;
    append_plain_text(text, value);
    return text;
  }
  return std::visit(ToType{type}, value);
}

}  // namespace rocktable::migration
