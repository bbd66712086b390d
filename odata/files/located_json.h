// Finds positions in JSON text, for error messages: syntax errors, members and items. Values are views of the
// text, so that the position of each is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct JsonFault {
  std::size_t offset;  // bytes; at most the length of the text
  std::string sentence;
};

// Returns where a text stops being JSON, and what was expected there; nullopt if all of it is JSON. All other
// functions require valid JSON.
std::optional<JsonFault> find_json_fault(std::string_view text);

enum class JsonKind { Null, Boolean, Integer, Number, Text, Array, Object };

// `value` has no blanks before it. A number that is not an Int64 is a Number.
JsonKind json_kind(std::string_view value);

// Returns `an integer`, `text` and so on.
std::string_view to_string(JsonKind kind);

// Returns the unescaped text of a string.
std::string json_text(std::string_view value);

// Returns the items of an array, without surrounding blanks. Returns an empty list if the text is not an array.
std::vector<std::string_view> json_items(std::string_view text);

struct JsonMember {
  std::string name;              // unescaped
  std::string_view name_token;   // as written; a view of the text
  std::string_view value_token;  // likewise, without surrounding blanks
};

// The members of an object, by position and by name. Has none if the text is not an object.
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view text);
  JsonMembers(JsonMembers&&) = default;  // a copy would point into the original

  const std::vector<JsonMember>& list() const { return list_; }

  // Returns the first member of that name, or nullptr.
  const JsonMember* find(std::string_view name) const;
  // Returns the second of two members of the same name, or nullptr.
  const JsonMember* find_duplicate() const;

 private:
  std::vector<JsonMember> list_;
  std::vector<const JsonMember*> sorted_;  // by name, then by position
};

}  // namespace rocktable
