#include "client/migration/value_conversion.h"

#include <cmath>
#include <limits>

#include "odata/base64.h"

namespace rocktable::migration {
namespace {

std::optional<Value> read(const std::string& text, EdmType type) {
  const auto value = [](auto read_value) {
    return read_value ? std::optional<Value>(*read_value) : std::nullopt;
  };
  switch (type) {
    case EdmType::String:
      return text;
    case EdmType::Boolean:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case EdmType::Int32:
      return value(parse_int32(text));
    case EdmType::Int64:
      return value(parse_int64(text));
    case EdmType::Double:
      return value(parse_double(text));
    case EdmType::DateTime:
      return value(parse_date_time(text));
    case EdmType::Guid:
      return value(parse_guid(text));
    case EdmType::Binary: {
      auto bytes = decode_base64(text);
      return bytes ? std::optional<Value>(Binary{std::move(*bytes)}) : std::nullopt;
    }
  }
  return std::nullopt;
}

template <class Integer>
std::optional<Value> to_integer(double number) {
  // The largest Int64 is no double: the next one above is the first that does not fit.
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
      return to_integer<std::int64_t>(real) == std::optional<Value>(number) ? std::optional<Value>(real)
                                                                            : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

struct ToType {
  EdmType type;

  std::optional<Value> operator()(std::string_view text) const { return read(std::string(text), type); }
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

struct ToText {
  std::string operator()(std::string_view text) const { return std::string(text); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int32_t number) const { return std::to_string(number); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    std::string out;
    append_double(out, number);
    return out;
  }
  std::string operator()(DateTime time) const { return to_string(time); }
  std::string operator()(const Guid& guid) const {
    std::string out;
    append_guid(out, guid);
    return out;
  }
  std::string operator()(BinaryView binary) const { return encode_base64(binary.bytes); }
};

}  // namespace

std::string plain_text(const ValueView& value) { return std::visit(ToText(), value); }

std::optional<Value> convert(const ValueView& value, EdmType type) {
  if (type_of(value) == type) return to_value(value);
  if (type == EdmType::String) return plain_text(value);
  return std::visit(ToType{type}, value);
}

}  // namespace rocktable::migration
