// Finds positions in JSON text, for error messages about a line. The payload reader does the actual reading.
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

// Returns where a text stops being JSON, and what was expected there; nullopt if all of it is JSON.
std::optional<JsonFault> find_json_fault(std::string_view text);

struct JsonMember {
  std::string name;              // unescaped
  std::string_view name_token;   // as written; a view of the text
  std::string_view value_token;  // likewise, without surrounding blanks
};

// Returns the members of an object, in order. The text must be JSON. Returns an empty list if it is not an
// object.
std::vector<JsonMember> members_of(std::string_view text);

}  // namespace rocktable
