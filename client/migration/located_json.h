// A JSON document of which every value knows where it stands, so that what is wrong with it can be pointed at.
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
  std::string_view source;  // its own text, in the document's
  bool boolean = false;
  std::int64_t integer = 0;
  std::string text;
  std::vector<LocatedJson> items;  // of an array
  struct Member;
  std::vector<Member> members;  // of an object, in their order

  bool is_object() const { return kind == Kind::Object; }
  // The first member of that name, null where there is none.
  const LocatedJson* find(std::string_view name) const;
};

struct LocatedJson::Member {
  std::string name;
  LocatedJson value;
};

std::string_view to_string(LocatedJson::Kind kind);

// `document` must outlive the result. `file` is named in what is thrown: FileError, also for a member given twice, and
// for what is nested more than 64 deep.
LocatedJson parse_located_json(std::string_view document, std::string_view file);

}  // namespace rocktable::migration
