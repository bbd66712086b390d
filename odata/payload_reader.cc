// Reads request bodies with simdjson's DOM, which parses without recursion, refuses text that is not UTF-8,
// and limits the depth.
//
// Two passes over the members: the first separates properties from annotations (an annotation may follow its
// property), the second creates values. The document belongs to a thread-local parser, so nothing that points
// into it may leave a function of this file.
#include "odata/payload_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "odata/base64.h"
#include "odata/json_token.h"
#include "odata/text.h"

namespace rocktable {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kTypeSuffix = "@odata.type";
constexpr std::string_view kControlPrefix = "odata.";

Error invalid_input() { return ErrorCode::InvalidInput; }

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

// A parsed JSON object. Uses the thread's parser, which keeps its memory for the next body. A large body gets
// a parser of its own.
class Document {
 public:
  // Lets simdjson copy the body into its own buffer, because it reads a few bytes beyond the end. The copy
  // costs about 20 ns per KiB, and callers need not guarantee readable memory after the view. An empty body
  // is a document without object.
  static Result<Document> read(std::string_view json) {
    Document document;
    if (json.empty()) return document;
    // JSON has no byte order mark, but newer versions of simdjson skip one.
    if (json.starts_with("\xEF\xBB\xBF")) return invalid_input();
    dom::parser& parser = document.parser_for(json.size());
    dom::element root;
    auto error = parser.parse(json.data(), json.size(), true).get(root);
    if (error && error != simdjson::EMPTY) {
      if (const auto wrapped = wrap_big_integers(json)) {
        document.big_integers_ = true;
        error = parser.parse(wrapped->data(), wrapped->size(), true).get(root);
      }
    }
    if (error == simdjson::EMPTY) return document;
    dom::object object;
    if (error || root.get(object)) return invalid_input();
    document.object_ = object;
    return document;
  }

  const std::optional<dom::object>& object() const { return object_; }
  // Returns whether arrays in the document stand for big integers.
  bool big_integers() const { return big_integers_; }

 private:
  // The largest body for the thread's parser. A parser keeps about 15 times the size of the largest body that
  // it read.
  static constexpr std::size_t kKeptBytes = 128 * 1024;

  dom::parser& parser_for(std::size_t bytes) {
    static thread_local dom::parser kept;
    if (bytes <= kKeptBytes) return kept;
    own_ = std::make_unique<dom::parser>();
    return *own_;
  }

  std::unique_ptr<dom::parser> own_;
  std::optional<dom::object> object_;
  bool big_integers_ = false;
};

std::optional<std::string_view> text_of(const dom::element& json) {
  std::string_view text;
  if (json.get(text)) return std::nullopt;
  return text;
}

// --- Members -----------------------------------------------------------------------------------------------

struct Member {
  std::string_view name;
  dom::element value;
};

struct Members {
  std::vector<Member> properties;   // in the order sent, keys and Timestamp among them
  std::vector<Member> annotations;  // with the name of what they annotate, sorted
  std::string_view etag;            // odata.etag

  const Member* annotation_of(std::string_view name) const {
    const auto found =
        std::lower_bound(annotations.begin(), annotations.end(), name,
                         [](const Member& member, std::string_view wanted) { return member.name < wanted; });
    return found != annotations.end() && found->name == name ? &*found : nullptr;
  }
};

bool is_key(std::string_view name) { return name == "PartitionKey" || name == "RowKey"; }
bool is_system(std::string_view name) { return is_key(name) || name == "Timestamp"; }

// Returns thread-local members that point into the thread's parser. The next call clears them.
const Members& sort_members(const dom::object& object) {
  static thread_local Members members;
  members.properties.clear();
  members.annotations.clear();
  members.etag = {};
  for (const dom::key_value_pair field : object) {
    if (field.key.starts_with(kControlPrefix)) {
      if (field.key == "odata.etag") members.etag = text_of(field.value).value_or("");
      continue;
    }
    const std::size_t suffix = field.key.find(kTypeSuffix);
    if (suffix == std::string_view::npos) {
      members.properties.push_back({field.key, field.value});
    } else if (suffix + kTypeSuffix.size() == field.key.size()) {
      members.annotations.push_back({field.key.substr(0, suffix), field.value});
    }
  }
  std::sort(members.annotations.begin(), members.annotations.end(),
            [](const Member& a, const Member& b) { return a.name < b.name; });
  return members;
}

bool same_name(const Member& a, const Member& b) { return a.name == b.name; }

bool has_duplicate_properties(const std::vector<Member>& properties) {
  constexpr std::size_t kFew = 20;  // then compare each with each; most differ in length
  if (properties.size() <= kFew) {
    for (auto member = properties.begin(); member != properties.end(); ++member) {
      const auto same = [&](const Member& other) { return same_name(*member, other); };
      if (std::any_of(properties.begin(), member, same)) return true;
    }
    return false;
  }
  std::vector<std::string_view> names;
  names.reserve(properties.size());
  for (const Member& member : properties) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

std::size_t count_user_properties(const std::vector<Member>& properties) {
  return static_cast<std::size_t>(
      std::count_if(properties.begin(), properties.end(),
                    [](const Member& member) { return !is_system(member.name) && !member.value.is_null(); }));
}

// The names of the last entity that this thread accepted. Entities of a transaction mostly have the same names,
// which then need no further check.
class AcceptedNames {
 public:
  bool are(const std::vector<Member>& properties) const {
    return std::equal(properties.begin(), properties.end(), names_.begin(), names_.end(),
                      [](const Member& member, const std::string& name) { return member.name == name; });
  }

  void remember(const std::vector<Member>& properties) {
    constexpr std::size_t kMost = 64;  // bounds the memory of a thread
    names_.resize(properties.size() <= kMost ? properties.size() : 0);
    for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = properties[i].name;
  }

 private:
  std::vector<std::string> names_;
};

// Checks everything that does not need the values.
Result<void> check_names(const Members& members) {
  static thread_local AcceptedNames accepted;
  const auto& properties = members.properties;
  if (properties.size() > kMaxProperties && count_user_properties(properties) > kMaxProperties)
    return Error(ErrorCode::TooManyProperties);
  if (!accepted.are(properties)) {
    for (const Member& member : properties) {
      if (auto legal = check_property_name(member.name); !legal) return legal;
    }
    if (has_duplicate_properties(properties)) return Error(ErrorCode::DuplicatePropertiesSpecified);
    accepted.remember(properties);
  }
  const auto& annotations = members.annotations;  // sorted
  if (std::adjacent_find(annotations.begin(), annotations.end(), same_name) != annotations.end())
    return Error(ErrorCode::DuplicatePropertiesSpecified);
  return {};
}

// --- Values ------------------------------------------------------------------------------------------------
//
// One function per type. Each returns nullopt if the type cannot hold the JSON value.

template <class T>
std::optional<Value> as_value(std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return Value(std::move(*parsed));
}

std::optional<Value> read_boolean(const dom::element& json) {
  bool truth = false;
  if (!json.get(truth)) return truth;
  const auto text = text_of(json);
  if (text && equals_ignoring_case(*text, "true")) return true;
  if (text && equals_ignoring_case(*text, "false")) return false;
  return std::nullopt;
}

std::optional<Value> read_int32(const dom::element& json) {
  if (const auto text = text_of(json)) return as_value(parse_int32(*text));
  std::int64_t number = 0;
  if (!json.is_int64() || json.get(number) || !std::in_range<std::int32_t>(number)) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

std::optional<Value> read_int64(const dom::element& json) {
  if (const auto text = text_of(json)) return as_value(parse_int64(*text));
  std::int64_t number = 0;
  if (!json.is_int64() || json.get(number)) return std::nullopt;
  return number;
}

std::optional<Value> read_double(const dom::element& json, bool big_integers) {
  if (const auto text = text_of(json)) return as_value(parse_double(*text));
  dom::array wrapped;
  if (big_integers && !json.get(wrapped)) return read_double(wrapped.at(0).value_unsafe(), false);
  double number = 0;
  if (json.get(number)) return std::nullopt;
  return number;
}

template <class Parse>
std::optional<Value> read_text(const dom::element& json, Parse parse) {
  const auto text = text_of(json);
  if (!text) return std::nullopt;
  return as_value(parse(*text));
}

std::optional<Binary> parse_binary(std::string_view text) {
  auto bytes = decode_base64(text);
  if (!bytes) return std::nullopt;
  return Binary{std::move(*bytes)};
}

std::optional<Value> read_value(EdmType type, const dom::element& json, bool big_integers) {
  switch (type) {
    case EdmType::String:
      return read_text(json, [](std::string_view text) { return std::optional(std::string(text)); });
    case EdmType::Boolean:
      return read_boolean(json);
    case EdmType::Int32:
      return read_int32(json);
    case EdmType::Int64:
      return read_int64(json);
    case EdmType::Double:
      return read_double(json, big_integers);
    case EdmType::DateTime:
      return read_text(json, parse_date_time);
    case EdmType::Guid:
      return read_text(json, parse_guid);
    case EdmType::Binary:
      return read_text(json, parse_binary);
  }
  return std::nullopt;
}

// Returns the type of a value without annotation.
std::optional<EdmType> type_without_annotation(const dom::element& json) {
  switch (json.type()) {
    case dom::element_type::STRING:
      return EdmType::String;
    case dom::element_type::BOOL:
      return EdmType::Boolean;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
      return EdmType::Int32;
    case dom::element_type::DOUBLE:
      return EdmType::Double;
    default:
      return std::nullopt;
  }
}

std::optional<EdmType> type_of_member(const Members& members, const Member& member) {
  const Member* annotation = members.annotation_of(member.name);
  if (annotation == nullptr) return type_without_annotation(member.value);
  const auto name = text_of(annotation->value);
  return name ? parse_edm_type(*name) : std::nullopt;
}

}  // namespace

Result<EntityPayload> read_entity(std::string_view json) {
  const auto document = Document::read(json);
  if (!document) return document.error();
  EntityPayload payload;
  if (!document->object()) return payload;
  const Members& members = sort_members(*document->object());
  if (auto legal = check_names(members); !legal) return legal.error();
  payload.etag = members.etag;
  payload.properties.reserve(members.properties.size());
  for (const Member& member : members.properties) {
    if (member.name == "Timestamp" || member.value.is_null()) continue;
    const auto type = type_of_member(members, member);
    auto value = type ? read_value(*type, member.value, document->big_integers()) : std::nullopt;
    if (!value) return invalid_input();
    if (!is_key(member.name)) {
      payload.properties.push_back({std::string(member.name), std::move(*value)});
      continue;
    }
    auto* key = std::get_if<std::string>(&*value);
    if (key == nullptr) return invalid_input();
    (member.name == "RowKey" ? payload.row_key : payload.partition_key) = std::move(*key);
  }
  return payload;
}

Result<std::string> read_table_name(std::string_view json) {
  const auto document = Document::read(json);
  if (!document) return document.error();
  if (!document->object()) return invalid_input();
  std::string_view name;
  if (document->object()->at_key("TableName").get(name)) return invalid_input();
  return std::string(name);
}

}  // namespace rocktable
