// A JSON document of which every value knows where it stands, so that what is wrong with it can be pointed at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rocktable {

// Where in a text something stands, both from 1; the column counts bytes.
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

// What is wrong with a file that somebody wrote: `FILE:LINE:COLUMN: sentence`.
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, Place place, std::string_view sentence);
};

struct LocatedJson {
  enum class Kind { Null, Boolean, Integer, Number, Text, Array, Object };

  Kind kind = Kind::Null;
  Place place;
  std::string_view source;  // its own text, in the document's
  bool boolean = false;
  std::int64_t integer = 0;
  std::string text;
  std::vector<LocatedJson> items;                            // of an array
  std::vector<std::pair<std::string, LocatedJson>> members;  // of an object, in their order

  bool is_object() const { return kind == Kind::Object; }
  // The first member of that name, null where there is none.
  const LocatedJson* find(std::string_view name) const;
};

std::string_view to_string(LocatedJson::Kind kind);

// `document` must outlive the result. `file` is named in what is thrown: FileError, also for a member given twice, and
// for what is nested more than 64 deep.
LocatedJson parse_located_json(std::string_view document, std::string_view file);

}  // namespace rocktable
