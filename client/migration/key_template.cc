#include "client/migration/key_template.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "odata/plain_text.h"

namespace rocktable::migration {
namespace {

constexpr std::size_t kTicksDigits = 19;

std::string padded(std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::string to_upper_ascii(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

[[noreturn]] void refuse(const std::string& sentence) { throw KeyTemplateError(sentence); }

// Returns the value as a T. Throws KeyTemplateError, which names the required `kind`, if it has another type.
template <class T>
const T& require(const ValueView& value, const std::string& property, const char* kind) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  refuse("the property " + property + " is " + std::string(to_string(type_of(value))) + ", and must be " + kind);
}

std::int64_t require_number(const ValueView& value, const std::string& property) {
  const auto number = std::holds_alternative<std::int32_t>(value)
                          ? std::get<std::int32_t>(value)
                          : require<std::int64_t>(value, property, "an integer");
  if (number < 0) refuse("the property " + property + " is negative: leading zeros would not preserve the order");
  return number;
}

std::optional<ValueView> value_of(const Entity& entity, const std::string& property) {
  if (property == "PartitionKey") return ValueView(std::string_view(entity.key.partition_key));
  if (property == "RowKey") return ValueView(std::string_view(entity.key.row_key));
  if (property == "Timestamp") return ValueView(entity.timestamp);
  for (const auto& [name, value] : entity.properties)
    if (name == property) return view_of(value);
  return std::nullopt;
}

}  // namespace

KeyTemplate::Part KeyTemplate::parse_placeholder(std::string_view text) {
  Part part;
  const auto colon = text.find(':');
  part.property = std::string(text.substr(0, colon));
  if (part.property.empty()) refuse("`{}` has no property name");
  if (const auto name = check_property_name(part.property); !name)
    refuse("`" + part.property + "` is not a property name");
  if (colon == text.npos) return part;
  const auto form = text.substr(colon + 1);
  constexpr std::pair<std::string_view, Form> kForms[] = {{"lower", Form::Lower},
                                                          {"upper", Form::Upper},
                                                          {"ticks", Form::Ticks},
                                                          {"invertedTicks", Form::InvertedTicks},
                                                          {"date", Form::Date}};
  for (const auto& [name, known] : kForms) {
    if (form != name) continue;
    part.form = known;
    return part;
  }
  constexpr std::string_view kPad = "pad";
  const auto width = form.starts_with(kPad) ? parse_int32(form.substr(kPad.size())) : std::nullopt;
  if (!width || *width < 1 || *width > static_cast<int>(kTicksDigits))
    refuse("`" + std::string(form) + "` is not a form; use lower, upper, pad1 to pad19, ticks, invertedTicks or date");
  part.form = Form::Pad;
  part.width = static_cast<std::size_t>(*width);
  return part;
}

KeyTemplate KeyTemplate::parse(std::string_view text) {
  KeyTemplate out;
  out.text_ = std::string(text);
  std::string literal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] != '{' && text[i] != '}') || doubled) {
      literal += text[i];
      if (text[i] == '{' || text[i] == '}') ++i;
      continue;
    }
    const auto end = text[i] == '{' ? text.find('}', i) : text.npos;
    if (end == text.npos) refuse(std::string("`") + text[i] + "` is unmatched: write {Property}, or double the brace");
    Part part = parse_placeholder(text.substr(i + 1, end - i - 1));
    part.literal = std::move(literal);
    literal.clear();
    out.parts_.push_back(std::move(part));
    i = end;
  }
  if (!literal.empty()) {
    Part part;
    part.literal = std::move(literal);
    out.parts_.push_back(std::move(part));
  }
  return out;
}

std::string KeyTemplate::text_of(const Part& part, const ValueView& value) {
  switch (part.form) {
    case Form::Plain: {
      std::string text;
      append_plain_text(text, value);
      return text;
    }
    case Form::Lower:
      return to_lower_ascii(require<std::string_view>(value, part.property, "text"));
    case Form::Upper:
      return to_upper_ascii(std::string(require<std::string_view>(value, part.property, "text")));
    case Form::Pad: {
      const std::string digits = padded(require_number(value, part.property), part.width);
      if (digits.size() > part.width)
        refuse("the property " + part.property + " has more than " + std::to_string(part.width) + " digits");
      return digits;
    }
    case Form::Ticks:
      return padded(require<DateTime>(value, part.property, "a time").ticks, kTicksDigits);
    case Form::InvertedTicks:
      return padded(kMaxDateTime.ticks - require<DateTime>(value, part.property, "a time").ticks, kTicksDigits);
    case Form::Date:
      return to_string(require<DateTime>(value, part.property, "a time")).substr(0, 10);
  }
  return {};
}

bool KeyTemplate::uses(std::string_view property) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.property == property; });
}

void KeyTemplate::check_default(const Property& value) const {
  for (const auto& part : parts_) {
    if (part.property != value.name) continue;
    const std::string text = text_of(part, view_of(value.value));
    if (!check_key_characters(text))
      refuse("`" + text + "` cannot be part of a key: it contains / \\ # ? or control characters");
  }
}

std::string KeyTemplate::apply(const Entity& entity, const MissingRule& rule) const {
  std::string key;
  for (const auto& part : parts_) {
    key += part.literal;
    if (part.property.empty()) continue;
    auto value = value_of(entity, part.property);
    if (!value) {
      const Value* otherwise = rule.default_of(part.property);
      if (otherwise == nullptr) throw MissingProperty(part.property);
      value = view_of(*otherwise);
    }
    key += text_of(part, *value);
  }
  if (!check_key_characters(key))
    refuse("`" + key + "` is not a valid key: it must not contain / \\ # ? or control characters");
  if (utf16_length(key) > kMaxKeyLength) refuse("the new key would have more than 512 characters");
  return key;
}

}  // namespace rocktable::migration
