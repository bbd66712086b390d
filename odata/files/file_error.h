// What is wrong with a file that somebody wrote, and where.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace rocktable {

// In a file, from 1 on; the column counts characters, not bytes. Line 0: the file as a whole.
struct FilePlace {
  std::uint64_t line = 0;
  std::uint64_t column = 0;

  auto operator<=>(const FilePlace&) const = default;
};

// Its what() is a sentence: `customers.ndjson:3:17: the value of "Age" is no Int32`.
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, FilePlace place, std::string_view sentence);
  const FilePlace& place() const { return place_; }

 private:
  FilePlace place_;
};

}  // namespace rocktable
