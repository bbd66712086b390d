// Where things stand in the text of JSON: to say where a line is at fault. Reading itself is the payload reader's.
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

// Where a text stops being JSON, and what was expected there; nothing if it is JSON throughout.
std::optional<JsonFault> find_json_fault(std::string_view text);

struct JsonMember {
  std::string name;              // unescaped
  std::string_view name_token;   // as written, within the text
  std::string_view value_token;  // likewise, blanks around it left out
};

// The members of an object, in order. The text must be JSON; empty where it is no object.
std::vector<JsonMember> members_of(std::string_view text);

}  // namespace rocktable
