// Reads request bodies with simdjson's DOM, which parses without recursion, refuses text that is not UTF-8,
// and limits the depth.
//
// Two passes over the fields: the first classifies them (an annotation may follow its property), the second
// creates values. The first is left out if the fields have the same names as those of the body before.
#include "odata/payload_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "odata/json_token.h"

namespace rocktable {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kTypeSuffix = "@odata.type";
constexpr std::string_view kControlPrefix = "odata.";

// --- JSON --------------------------------------------------------------------------------------------------

bool is_big_integer(std::string_view token) { return is_json_integer(token) && !parse_int64(token); }

// simdjson refuses a document with an integer beyond 64 bits, but JavaScript writes the double 1e20 as
// 100000000000000000000. This function turns each such integer into an array of one double,
// [100000000000000000000e0]; only read_double accepts such an array. Returns nullopt if there is no such
// integer, or if the body has arrays of its own (no entity has any), because the two could not be told apart.
std::optional<std::string> wrap_big_integers(std::string_view json) {
  std::string wrapped;
  bool found = false;
  for (std::size_t i = 0; i < json.size();) {
    if (json[i] == '[') return std::nullopt;
    const std::string_view token = json_token_at(json, i);
    i += token.size();
    if (is_big_integer(token)) {
      found = true;
      wrapped += '[';
      wrapped += token;
      wrapped += "e0]";
    } else {
      wrapped += token;
    }
  }
  if (!found) return std::nullopt;
  return wrapped;
}

// A member of the JSON object.
struct Field {
  std::string_view name;
  dom::element value;
};

// What reading a body needs, kept for the next body.
struct ReaderMemory {
  dom::parser parser;
  std::vector<Field> fields;
  std::vector<PropertyView> properties;
  std::string bytes;  // of binaries
};

// Returns the memory of the thread, or new memory for a large body. A parser keeps about 15 times the size of the
// largest body that it read.
std::shared_ptr<ReaderMemory> memory_for(std::size_t bytes) {
  constexpr std::size_t kMaxKept = 128 * 1024;
  static thread_local ReaderMemory kept;
  if (bytes > kMaxKept) return std::make_shared<ReaderMemory>();
  return {std::shared_ptr<ReaderMemory>(), &kept};  // without owner
}

struct Document {
  dom::object object;         // points into the parser
  bool big_integers = false;  // arrays stand for big integers
};

// Lets simdjson copy the body into its own buffer, because it reads a few bytes beyond the end. The copy costs
// about 20 ns per KiB, and callers need not guarantee readable memory after the view.
Result<Document> parse(dom::parser& parser, std::string_view json) {
  Document document;
  if (json.empty()) return unreadable_body();  // such a view may have no address to copy from
  // JSON has no byte order mark, but newer versions of simdjson skip one.
  if (json.starts_with("\xEF\xBB\xBF")) return unreadable_body();
  dom::element root;
  auto error = parser.parse(json.data(), json.size(), true).get(root);
  if (error) {
    if (const auto wrapped = wrap_big_integers(json)) {
      document.big_integers = true;
      error = parser.parse(wrapped->data(), wrapped->size(), true).get(root);
    }
  }
  if (error || root.get(document.object)) return unreadable_body();
  return document;
}

bool read_text(const dom::element& json, std::string_view& text) { return json.get(text) == simdjson::SUCCESS; }

// --- Fields ------------------------------------------------------------------------------------------------

enum class Role : std::uint8_t { Property, PartitionKey, RowKey, ETag, Ignored };

// What a field is for.
struct FieldUse {
  Role role = Role::Ignored;
  std::optional<std::size_t> type;  // index of the field that names the type: `name@odata.type`
};

// A name, and the index of its field.
struct NamedField {
  std::string_view name;
  std::size_t index;
};

Role role_of(std::string_view property) {
  if (property == "PartitionKey") return Role::PartitionKey;
  if (property == "RowKey") return Role::RowKey;
  return property == "Timestamp" ? Role::Ignored : Role::Property;
}

// Sorts `names`.
bool has_duplicates(std::vector<NamedField>& names) {
  std::sort(names.begin(), names.end(), [](const NamedField& a, const NamedField& b) { return a.name < b.name; });
  return std::adjacent_find(names.begin(), names.end(),
                            [](const NamedField& a, const NamedField& b) { return a.name == b.name; }) != names.end();
}

std::size_t count_user_properties(const std::vector<Field>& fields, const std::vector<FieldUse>& uses) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (uses[i].role == Role::Property && !fields[i].value.is_null()) ++count;
  return count;
}

// Classifies the fields, and checks everything that does not need the values.
Result<std::vector<FieldUse>> classify(const std::vector<Field>& fields) {
  std::vector<FieldUse> uses(fields.size());
  std::vector<NamedField> properties;   // keys and Timestamp among them
  std::vector<NamedField> annotations;  // by the name of what they annotate
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view name = fields[i].name;
    const std::size_t suffix = name.find(kTypeSuffix);
    if (name.starts_with(kControlPrefix)) {
      if (name == "odata.etag") uses[i].role = Role::ETag;
    } else if (suffix == name.npos) {
      uses[i].role = role_of(name);
      properties.push_back({name, i});
    } else if (suffix + kTypeSuffix.size() == name.size()) {
      annotations.push_back({name.substr(0, suffix), i});
    }
  }
  if (properties.size() > kMaxProperties && count_user_properties(fields, uses) > kMaxProperties)
    return Error(ErrorCode::TooManyProperties);
  for (const NamedField& property : properties) {
    if (auto legal = check_property_name(property.name); !legal) return legal.error();
  }
  if (has_duplicates(properties) || has_duplicates(annotations)) return Error(ErrorCode::DuplicatePropertiesSpecified);
  auto property = properties.begin();
  for (const NamedField& annotation : annotations) {  // both are sorted
    while (property != properties.end() && property->name < annotation.name) ++property;
    if (property != properties.end() && property->name == annotation.name)
      uses[property->index].type = annotation.index;
  }
  return uses;
}

// The fields of the last body that this thread accepted, and their uses. The entities of a transaction mostly have
// the same fields, which then need no further check.
class LastFields {
 public:
  // Returns nullptr if these are others.
  const std::vector<FieldUse>* uses_of(const std::vector<Field>& fields) const {
    const bool same = std::equal(fields.begin(), fields.end(), names_.begin(), names_.end(),
                                 [](const Field& field, const std::string& name) { return field.name == name; });
    return same ? &uses_ : nullptr;
  }

  void remember(const std::vector<Field>& fields, const std::vector<FieldUse>& uses) {
    constexpr std::size_t kMost = 128;  // bounds the memory of a thread
    if (fields.size() > kMost) return;
    names_.resize(fields.size());
    for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = fields[i].name;
    uses_ = uses;
  }

 private:
  std::vector<std::string> names_;
  std::vector<FieldUse> uses_;
};

// --- Values ------------------------------------------------------------------------------------------------
//
// One function per type. Each returns false if the type cannot hold the JSON value. Values are created where they stay:
// a copy of a variant just written waits for the writes.

template <class T>
bool keep(ValueView& out, const std::optional<T>& parsed) {
  if (parsed) out.emplace<T>(*parsed);
  return parsed.has_value();
}

bool read_boolean(const dom::element& json, ValueView& out) {
  bool truth = false;
  std::string_view text;
  if (read_text(json, text)) {
    truth = equals_ignoring_case(text, "true");
    if (!truth && !equals_ignoring_case(text, "false")) return false;
  } else if (json.get(truth)) {
    return false;
  }
  out.emplace<bool>(truth);
  return true;
}

bool read_int32(const dom::element& json, ValueView& out) {
  std::string_view text;
  if (read_text(json, text)) return keep(out, parse_int32(text));
  std::int64_t number = 0;
  if (!json.is_int64() || json.get(number) || !std::in_range<std::int32_t>(number)) return false;
  out.emplace<std::int32_t>(static_cast<std::int32_t>(number));
  return true;
}

bool read_int64(const dom::element& json, ValueView& out) {
  std::string_view text;
  if (read_text(json, text)) return keep(out, parse_int64(text));
  std::int64_t number = 0;
  if (!json.is_int64() || json.get(number)) return false;
  out.emplace<std::int64_t>(number);
  return true;
}

bool read_double(const dom::element& json, bool big_integers, ValueView& out) {
  std::string_view text;
  if (read_text(json, text)) return keep(out, parse_double(text));
  dom::array wrapped;
  if (big_integers && !json.get(wrapped)) return read_double(wrapped.at(0).value_unsafe(), false, out);
  double number = 0;
  if (json.get(number)) return false;
  out.emplace<double>(number);
  return true;
}

// Appends the bytes of a binary to `bytes`, which must have room for the text, so that other views stay valid.
bool read_binary(const dom::element& json, std::string& bytes, ValueView& out) {
  std::string_view text;
  const std::size_t begin = bytes.size();
  if (!read_text(json, text) || !append_decoded_base64(bytes, text)) return false;
  out.emplace<BinaryView>(std::string_view(bytes).substr(begin));
  return true;
}

bool read_value(EdmType type, const dom::element& json, bool big_integers, std::string& bytes, ValueView& out) {
  std::string_view text;
  switch (type) {
    case EdmType::String:
      return read_text(json, out.emplace<std::string_view>());
    case EdmType::Boolean:
      return read_boolean(json, out);
    case EdmType::Int32:
      return read_int32(json, out);
    case EdmType::Int64:
      return read_int64(json, out);
    case EdmType::Double:
      return read_double(json, big_integers, out);
    case EdmType::DateTime:
      return read_text(json, text) && keep(out, parse_date_time(text));
    case EdmType::Guid:
      return read_text(json, text) && keep(out, parse_guid(text));
    case EdmType::Binary:
      return read_binary(json, bytes, out);
  }
  return false;
}

// Integers that no Int32 holds are doubles. JavaScript's Date.now() is one.
EdmType type_of_integer(const dom::element& json) {
  std::int64_t number = 0;
  const bool fits = !json.get(number) && std::in_range<std::int32_t>(number);
  return fits ? EdmType::Int32 : EdmType::Double;
}

// Returns the type of a value without annotation.
std::optional<EdmType> type_without_annotation(const dom::element& json, bool big_integers) {
  switch (json.type()) {
    case dom::element_type::STRING:
      return EdmType::String;
    case dom::element_type::BOOL:
      return EdmType::Boolean;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
      return type_of_integer(json);
    case dom::element_type::DOUBLE:
      return EdmType::Double;
    case dom::element_type::ARRAY:
      return big_integers ? std::optional(EdmType::Double) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<EdmType> type_of(const std::vector<Field>& fields, const FieldUse& use, const dom::element& json,
                               bool big_integers) {
  if (!use.type) return type_without_annotation(json, big_integers);
  std::string_view name;
  return read_text(fields[*use.type].value, name) ? parse_edm_type(name) : std::nullopt;
}

// Fills `memory.properties` and the other members of `payload`.
Result<void> read_fields(const std::vector<FieldUse>& uses, bool big_integers, ReaderMemory& memory,
                         EntityPayloadView& payload) {
  for (std::size_t i = 0; i < memory.fields.size(); ++i) {
    const auto& [name, json] = memory.fields[i];
    const FieldUse& use = uses[i];
    if (use.role == Role::ETag && !read_text(json, payload.etag)) payload.etag = {};
    if (use.role == Role::ETag || use.role == Role::Ignored || json.is_null()) continue;
    const auto type = type_of(memory.fields, use, json, big_integers);
    if (!type) return unreadable_body();
    if (use.role == Role::Property) {
      PropertyView& property = memory.properties.emplace_back();
      property.name = name;
      if (!read_value(*type, json, big_integers, memory.bytes, property.value)) return unreadable_body();
      continue;
    }
    ValueView key;
    if (!read_value(*type, json, big_integers, memory.bytes, key)) return unreadable_body();
    const auto* text = std::get_if<std::string_view>(&key);
    if (text == nullptr) {
      payload.has_typed_key = true;
      continue;
    }
    (use.role == Role::RowKey ? payload.row_key : payload.partition_key) = *text;
  }
  payload.properties = memory.properties;
  return {};
}

std::optional<std::string> to_string(const std::optional<std::string_view>& text) {
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

Error unreadable_body() { return {ErrorCode::InvalidInput, "An error occurred while processing this request."}; }

Result<EntityPayloadView> read_entity_view(std::string_view json) {
  static thread_local LastFields last_fields;
  const std::shared_ptr<ReaderMemory> memory = memory_for(json.size());
  const auto document = parse(memory->parser, json);
  if (!document) return document.error();
  EntityPayloadView payload;
  memory->fields.clear();
  memory->properties.clear();
  memory->bytes.clear();
  memory->bytes.reserve(json.size());  // binaries take less
  for (const dom::key_value_pair field : document->object) memory->fields.push_back({field.key, field.value});
  const std::vector<FieldUse>* uses = last_fields.uses_of(memory->fields);
  std::vector<FieldUse> others;
  if (uses == nullptr) {
    auto classified = classify(memory->fields);
    if (!classified) return classified.error();
    others = *std::move(classified);
    last_fields.remember(memory->fields, others);
    uses = &others;
  }
  if (auto read = read_fields(*uses, document->big_integers, *memory, payload); !read) return read.error();
  payload.memory = memory;
  return payload;
}

Result<EntityPayload> read_entity(std::string_view json) {
  const auto view = read_entity_view(json);
  if (!view) return view.error();
  return EntityPayload{to_string(view->partition_key), to_string(view->row_key), to_properties(view->properties),
                       std::string(view->etag), view->has_typed_key};
}

Result<std::string> read_table_name(std::string_view json) {
  const std::shared_ptr<ReaderMemory> memory = memory_for(json.size());
  const auto document = parse(memory->parser, json);
  if (!document) return document.error();
  std::string_view name;
  if (document->object.at_key("TableName").get(name)) return Error(ErrorCode::InvalidInput);
  return std::string(name);
}

}  // namespace rocktable
