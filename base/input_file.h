// InputFile: reads a regular file. It refuses pipes and devices, because they may block their reader for
// ever.
#pragma once

#include <cstdint>
#include <ext/stdio_filebuf.h>
#include <istream>
#include <memory>
#include <string>

namespace rocktable {

class InputFile : public std::istream {
 public:
  // Opens the file without blocking. Follows links. Throws std::runtime_error with a sentence:
  // `customers.ndjson cannot be read: it is a pipe, not a regular file`.
  explicit InputFile(const std::string& path);

  std::uint64_t size() const { return size_; }  // at the time of opening

 private:
  std::unique_ptr<__gnu_cxx::stdio_filebuf<char>> buffer_;
  std::uint64_t size_ = 0;
};

// Returns the contents of a file. Throws as InputFile, and std::runtime_error if reading fails.
std::string read_file(const std::string& path);

// Returns why InputFile would refuse a path, without opening it; empty for a regular file.
std::string why_not_a_regular_file(const std::string& path);

}  // namespace rocktable
