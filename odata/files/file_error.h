// FileError: what is wrong with a file, and where.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace rocktable {

// A position in a file. Both numbers start at 1; the column counts characters, not bytes. Line 0 means the
// file as a whole.
struct FilePlace {
  std::uint64_t line = 0;
  std::uint64_t column = 0;

  auto operator<=>(const FilePlace&) const = default;
};

// what() is a sentence: `customers.ndjson:3:17: the value of "Age" is not an Int32`.
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, FilePlace place, std::string_view sentence);
  const FilePlace& place() const { return place_; }

 private:
  FilePlace place_;
};

}  // namespace rocktable
