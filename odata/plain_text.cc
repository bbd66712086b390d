// Appends and parses plain text, one function per Edm type.
#include "odata/plain_text.h"

#include "base/base64.h"
#include "base/text.h"

namespace rocktable {
namespace {

struct AppendPlainText {
  std::string& out;

  void operator()(std::string_view text) const { out += text; }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
  void operator()(std::int32_t number) const { out += std::to_string(number); }
  void operator()(std::int64_t number) const { out += std::to_string(number); }
  void operator()(double number) const {
    char text[kMaxDoubleLength];
    out.append(text, write_exact_double(text, number));
  }
  void operator()(DateTime time) const { append_date_time(out, time); }
  void operator()(const Guid& guid) const { append_guid(out, guid); }
  void operator()(BinaryView binary) const { append_base64(out, binary.bytes); }
};

template <class T>
std::optional<Value> as_optional_value(std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return Value(std::move(*parsed));
}

std::optional<Value> parse_boolean(std::string_view text) {
  if (equals_ignoring_case(text, "true")) return true;
  if (equals_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

std::optional<Value> parse_plain_binary(std::string_view text) {
  auto bytes = decode_base64(text);
  if (!bytes) return std::nullopt;
  return Binary{std::move(*bytes)};
}

}  // namespace

void append_plain_text(std::string& out, const ValueView& value) { std::visit(AppendPlainText{out}, value); }

std::optional<Value> parse_plain_text(EdmType type, std::string_view text) {
  switch (type) {
    case EdmType::String:
      return std::string(text);
    case EdmType::Boolean:
      return parse_boolean(text);
    case EdmType::Int32:
      return as_optional_value(parse_int32(text));
    case EdmType::Int64:
      return as_optional_value(parse_int64(text));
    case EdmType::Double:
      return as_optional_value(parse_double(text));
    case EdmType::DateTime:
      return as_optional_value(parse_date_time(text));
    case EdmType::Guid:
      return as_optional_value(parse_guid(text));
    case EdmType::Binary:
      return parse_plain_binary(text);
  }
  return std::nullopt;
}

}  // namespace rocktable
