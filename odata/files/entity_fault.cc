// Checks the rules of check_entity one at a time to find the broken one.
#include "odata/files/entity_fault.h"

#include <algorithm>
#include <variant>

#include "base/printable.h"
#include "base/text.h"
#include "odata/payload_writer.h"

namespace rocktable {
namespace {

std::string at_most(std::size_t count, std::string_view unit) {
  return "; at most " + std::to_string(count) + ' ' + std::string(unit) + " are allowed";
}

// Returns an empty string if the key is valid.
std::string explain_key(const std::string& name, const std::string& key) {
  if (!check_key_characters(key))
    return name + " contains a character that keys may not contain: / \\ # ? or a control character";
  if (utf16_length(key) > kMaxKeyLength)
    return name + " is " + std::to_string(utf16_length(key)) + " characters long" +
           at_most(kMaxKeyLength, "characters");
  return {};
}

std::string explain_property(const Property& property) {
  const std::string subject = "the value of " + quoted_for_message(property.name);
  if (const auto* text = std::get_if<std::string>(&property.value);
      text != nullptr && utf16_length(*text) > kMaxStringLength)
    return subject + " is " + std::to_string(utf16_length(*text)) + " characters long" +
           at_most(kMaxStringLength, "characters");
  if (const auto* binary = std::get_if<Binary>(&property.value);
      binary != nullptr && binary->bytes.size() > kMaxBinaryBytes)
    return subject + " is " + std::to_string(binary->bytes.size()) + " bytes long" + at_most(kMaxBinaryBytes, "bytes");
  if (const auto* time = std::get_if<DateTime>(&property.value);
      time != nullptr && (*time < kMinDateTime || *time > kMaxDateTime))
    return subject + " is before the first DateTime of the service, " + to_string(kMinDateTime);
  return {};
}

}  // namespace

EntityFault explain_entity(const EntityKey& key, const Properties& properties) {
  if (properties.size() > kMaxProperties)
    return {
        {},
        "the entity has " + std::to_string(properties.size()) + " properties" + at_most(kMaxProperties, "properties")};
  if (auto sentence = explain_key("PartitionKey", key.partition_key); !sentence.empty())
    return {"PartitionKey", sentence};
  if (auto sentence = explain_key("RowKey", key.row_key); !sentence.empty()) return {"RowKey", sentence};
  for (const Property& property : properties)
    if (auto sentence = explain_property(property); !sentence.empty()) return {property.name, sentence};
  if (const std::size_t size = entity_size(key, properties); size > kMaxEntityBytes)
    return {{},
            "the entity takes " + std::to_string(size) + " bytes as the service counts them" +
                at_most(kMaxEntityBytes, "bytes")};
  const auto legal = check_entity(key, properties);
  return {{}, legal ? std::string("the entity is not valid") : legal.error().message};
}

std::string explain_name(std::string_view name) {
  if (name.empty()) return "a property has no name";
  if (utf16_length(name) > kMaxPropertyNameLength)
    return "the name " + quoted_for_message(name) + " is " + std::to_string(utf16_length(name)) + " characters long" +
           at_most(kMaxPropertyNameLength, "characters");
  return quoted_for_message(name) +
         " is not a valid property name: a name begins with a letter or underscore, and continues with "
         "letters, "
         "digits and underscores";
}

std::string explain_value(std::string_view name, EdmType type) {
  const std::string_view name_of_type = short_name(type);
  const char* const article = name_of_type.starts_with('I') ? " is not an " : " is not a ";
  return "the value of " + quoted_for_message(name) + article + std::string(name_of_type);
}

std::string quoted_for_message(std::string_view text) {
  constexpr std::size_t kMaxShownBytes = 60;
  std::size_t end = std::min(text.size(), kMaxShownBytes);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  std::string out;
  append_json_string(out, text.substr(0, end));
  if (end < text.size()) out.insert(out.size() - 1, "...");
  return printable(out);
}

std::string_view short_name(EdmType type) {
  std::string_view name = to_string(type);
  name.remove_prefix(std::string_view("Edm.").size());
  return name;
}

}  // namespace rocktable
