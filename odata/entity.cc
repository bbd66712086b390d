// The limits that every entity keeps, and the text form of ETags.
#include "odata/entity.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/text.h"
#include "base/uri.h"

namespace rocktable {
namespace {

constexpr std::string_view kETagPrefix = "W/\"";
constexpr std::string_view kETagSuffix = "\"";
constexpr std::string_view kTimePrefix = "datetime'";
constexpr std::string_view kTimeSuffix = "'";

// Returns the text between prefix and suffix, or nullopt if either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view prefix, std::string_view suffix) {
  if (text.size() < prefix.size() + suffix.size() || !text.starts_with(prefix) || !text.ends_with(suffix)) {
    return std::nullopt;
  }
  text.remove_prefix(prefix.size());
  text.remove_suffix(suffix.size());
  return text;
}

// Bytes of illegal characters: ASCII controls, four others, and 0xC2, because U+0080..U+009F are C2 80..C2 9F in UTF-8.
constexpr auto kMayBeIllegalInKey = [] {
  std::array<bool, 256> bytes{};
  std::fill_n(bytes.begin(), 0x20, true);
  for (const char c : {'/', '\\', '#', '?', '\x7F', '\xC2'}) bytes[static_cast<unsigned char>(c)] = true;
  return bytes;
}();

bool is_ascii_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the character that starts at `at`, and moves `at` to the next one. The text must be UTF-8.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int continuations = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t character = lead & (0x3Fu >> continuations);
  for (int i = 0; i < continuations && at < text.size(); ++i) {
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  }
  return character;
}

// White space and control characters outside ASCII. All other characters outside ASCII count as letters, so
// that no table of Unicode letters is needed.
bool is_non_ascii_blank(char32_t c) {
  return c <= 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200B) || (c >= 0x2028 && c <= 0x202F) ||
         (c >= 0x205F && c <= 0x2064) || c == 0x3000 || c == 0xFEFF;
}

bool is_allowed_in_name(char32_t c, bool first) {
  if (c >= 0x80) return !is_non_ascii_blank(c);
  const auto ascii = static_cast<char>(c);
  return is_ascii_letter(ascii) || ascii == '_' || (!first && is_ascii_digit(ascii));
}

// The size of an entity by the service's rule (entity_size()), with `length` as the length of texts.
template <class Length>
std::size_t size_with(const EntityKey& key, std::span<const PropertyView> properties, const Length& length) {
  struct ValueSize {
    const Length& length;
    std::size_t operator()(std::string_view text) const { return 4 + 2 * length(text); }
    std::size_t operator()(bool) const { return 1; }
    std::size_t operator()(std::int32_t) const { return 4; }
    std::size_t operator()(std::int64_t) const { return 8; }
    std::size_t operator()(double) const { return 8; }
    std::size_t operator()(DateTime) const { return 8; }
    std::size_t operator()(const Guid&) const { return 16; }
    std::size_t operator()(BinaryView binary) const { return 4 + binary.bytes.size(); }
  };
  std::size_t size = 4 + 2 * (length(key.partition_key) + length(key.row_key));
  for (const PropertyView& property : properties) {
    size += 8 + 2 * length(property.name) + std::visit(ValueSize{length}, property.value);
  }
  return size;
}

// UTF-8 of n bytes has at most n code units, so only longer texts are counted.
bool longer_than(std::string_view utf8, std::size_t code_units) {
  return utf8.size() > code_units && utf16_length(utf8) > code_units;
}

// UTF-8 of n bytes has at most n code units, so this is at least entity_size(). It costs much less.
std::size_t max_entity_size(const EntityKey& key, std::span<const PropertyView> properties) {
  return size_with(key, properties, [](std::string_view text) { return text.size(); });
}

bool is_too_large(const ValueView& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return longer_than(*text, kMaxStringLength);
  if (const auto* binary = std::get_if<BinaryView>(&value)) return binary->bytes.size() > kMaxBinaryBytes;
  return false;
}

bool is_out_of_range(const ValueView& value) {
  const auto* time = std::get_if<DateTime>(&value);
  return time != nullptr && (*time < kMinDateTime || *time > kMaxDateTime);
}

}  // namespace

std::optional<ValueView> EntityView::find(std::string_view name) const {
  if (name == "PartitionKey") return partition_key;
  if (name == "RowKey") return row_key;
  if (name == "Timestamp") return timestamp;
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [name](const PropertyView& property) { return property.name == name; });
  if (found == properties.end()) return std::nullopt;
  return found->value;
}

std::vector<PropertyView> view_of(const Properties& properties) {
  std::vector<PropertyView> views;
  views.reserve(properties.size());
  for (const Property& property : properties) views.push_back({property.name, view_of(property.value)});
  return views;
}

Properties to_properties(std::span<const PropertyView> views) {
  Properties properties;
  properties.reserve(views.size());
  for (const PropertyView& view : views) properties.push_back({std::string(view.name), to_value(view.value)});
  return properties;
}

Entity to_entity(const EntityView& view) {
  return {{std::string(view.partition_key), std::string(view.row_key)}, view.timestamp, to_properties(view.properties)};
}

char* write_etag(char* out, DateTime timestamp) {
  constexpr std::string_view kColon = "%3A";
  constexpr std::size_t kHours = std::string_view("yyyy-MM-ddTHH").size();
  constexpr std::size_t kMinutes = std::string_view("mm").size();
  static_assert(kMaxETagLength >= kETagPrefix.size() + kTimePrefix.size() + kMaxDateTimeLength +
                                      2 * (kColon.size() - 1) + kTimeSuffix.size() + kETagSuffix.size());
  char time[kMaxDateTimeLength];
  const std::string_view text(time, write_date_time(time, timestamp));
  const auto append = [&out](std::string_view piece) { out = std::copy(piece.begin(), piece.end(), out); };
  append(kETagPrefix);
  append(kTimePrefix);
  append({time, kHours});
  append(kColon);
  append({time + kHours + 1, kMinutes});
  append(kColon);
  append(text.substr(kHours + 1 + kMinutes + 1));
  append(kTimeSuffix);
  append(kETagSuffix);
  return out;
}

void append_etag(std::string& out, DateTime timestamp) {
  char text[kMaxETagLength];
  out.append(text, write_etag(text, timestamp));
}

std::string etag_of(DateTime timestamp) {
  std::string out;
  append_etag(out, timestamp);
  return out;
}

Error invalid_etag(std::string_view text) {
  // A header may hold any byte, but the message goes into JSON and XML.
  const std::string shown = is_utf8(text) ? std::string(text) : percent_encode(text);
  return {ErrorCode::InvalidInput, "The etag value '" + shown +
                                       "' specified in one of the request headers is not valid. Please make sure only "
                                       "one etag value is specified and is valid."};
}

Result<DateTime> parse_etag(std::string_view text) {
  const std::optional<std::string> decoded = percent_decode(text, false);
  const auto inside = between(decoded ? *decoded : text, kETagPrefix, kETagSuffix);
  if (!inside || inside->find('"') != inside->npos) return invalid_etag(text);  // a quote inside: two ETags
  const auto time_text = between(*inside, kTimePrefix, kTimeSuffix);
  const auto time = time_text ? parse_date_time(*time_text) : std::nullopt;
  if (!time) return ErrorCode::ConditionNotMet;
  return *time;
}

Result<void> check_key_characters(std::string_view key) {
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto byte = static_cast<unsigned char>(key[i]);
    if (!kMayBeIllegalInKey[byte]) continue;
    const bool is_legal = byte == 0xC2 && (i + 1 == key.size() || static_cast<unsigned char>(key[i + 1]) >= 0xA0);
    if (!is_legal) return Error(ErrorCode::OutOfRangeInput);
  }
  return {};
}

Result<void> check_property_name(std::string_view name) {
  if (longer_than(name, kMaxPropertyNameLength)) return Error(ErrorCode::PropertyNameTooLong);
  if (name.empty()) return Error(ErrorCode::PropertyNameInvalid);
  for (std::size_t at = 0; at < name.size();) {
    const bool first = at == 0;
    if (!is_allowed_in_name(next_character(name, at), first)) return Error(ErrorCode::PropertyNameInvalid);
  }
  return {};
}

Result<void> check_entity(const EntityKey& key, std::span<const PropertyView> properties) {
  if (properties.size() > kMaxProperties) return Error(ErrorCode::TooManyProperties);
  for (const std::string* text : {&key.partition_key, &key.row_key}) {
    if (auto legal = check_key_characters(*text); !legal) return legal;
  }
  if (max_entity_size(key, properties) > kMaxEntityBytes && entity_size(key, properties) > kMaxEntityBytes)
    return Error(ErrorCode::EntityTooLarge);
  const bool too_large = longer_than(key.partition_key, kMaxKeyLength) || longer_than(key.row_key, kMaxKeyLength) ||
                         std::any_of(properties.begin(), properties.end(),
                                     [](const PropertyView& property) { return is_too_large(property.value); });
  if (too_large) return Error(ErrorCode::PropertyValueTooLarge);
  const bool out_of_range = std::any_of(properties.begin(), properties.end(),
                                        [](const PropertyView& property) { return is_out_of_range(property.value); });
  if (out_of_range) return Error(ErrorCode::OutOfRangeInput);
  return {};
}

Result<void> check_entity(const EntityKey& key, const Properties& properties) {
  return check_entity(key, view_of(properties));
}

std::size_t entity_size(const EntityKey& key, std::span<const PropertyView> properties) {
  return size_with(key, properties, utf16_length);
}

std::size_t entity_size(const EntityKey& key, const Properties& properties) {
  return entity_size(key, view_of(properties));
}

Result<void> check_table_name(std::string_view name) {
  const bool is_alphanumeric =
      std::all_of(name.begin(), name.end(), [](char c) { return is_ascii_letter(c) || is_ascii_digit(c); });
  const std::size_t length = is_alphanumeric ? name.size() : utf16_length(name);
  if (length < 3 || length > 63) {
    return Error(ErrorCode::OutOfRangeInput,
                 "The specified resource name length is not within the permissible limits.");
  }
  if (!is_alphanumeric || !is_ascii_letter(name[0])) return Error(ErrorCode::InvalidResourceName);
  if (equals_ignoring_case(name, "tables")) return Error(ErrorCode::InvalidInput);
  return {};
}

}  // namespace rocktable
