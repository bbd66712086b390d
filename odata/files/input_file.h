// A file that is read: a regular one. A pipe or a device may keep its reader waiting for ever.
#pragma once

#include <cstdint>
#include <ext/stdio_filebuf.h>
#include <istream>
#include <memory>
#include <string>

namespace rocktable {

class InputFile : public std::istream {
 public:
  // Links are followed. Throws std::runtime_error with a sentence: `customers.ndjson cannot be read: it is a pipe, not a
  // regular file`. Does not wait.
  explicit InputFile(const std::string& path);

  std::uint64_t size() const { return size_; }  // when it was opened

 private:
  std::unique_ptr<__gnu_cxx::stdio_filebuf<char>> buffer_;
  std::uint64_t size_ = 0;
};

// What InputFile would refuse of a path without opening it; empty: it is a regular file.
std::string why_not_a_regular_file(const std::string& path);

}  // namespace rocktable
