// A JSON document whose values have their line and column, for error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "odata/files/file_error.h"

namespace rocktable::migration {

struct LocatedJson {
  enum class Kind { Null, Boolean, Integer, Number, Text, Array, Object };

  Kind kind = Kind::Null;
  FilePlace place;          // its column counts bytes
  std::string_view source;  // its text in the document
  bool boolean = false;
  std::int64_t integer = 0;
  std::string text;
  std::vector<LocatedJson> items;  // of an array
  struct Member;
  std::vector<Member> members;  // of an object, in document order

  bool is_object() const { return kind == Kind::Object; }
  // Returns the first member of that name; null if there is none.
  const LocatedJson* find(std::string_view name) const;
};

struct LocatedJson::Member {
  std::string name;
  LocatedJson value;
};

std::string_view to_string(LocatedJson::Kind kind);

// Parses a document, which must outlive the result. Throws FileError, which names `file`, if the document is
// malformed, repeats a member, or is nested more than 64 levels deep.
LocatedJson parse_located_json(std::string_view document, std::string_view file);

}  // namespace rocktable::migration
