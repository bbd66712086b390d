// The file that an export writes until it is complete. Anyone who can write to the folder can predict its
// name, so it never writes through links, hard links or pipes that were prepared there.
#pragma once

#include <cstdint>
#include <ext/stdio_filebuf.h>
#include <memory>
#include <ostream>
#include <string>

namespace rocktable {

class PartialFile : public std::ostream {
 public:
  // If `keep_bytes` is 0, replaces whatever has this name by a new file; otherwise truncates the file of an
  // earlier attempt to `keep_bytes` and appends. Throws std::runtime_error with a reason only: `No space left
  // on device`.
  PartialFile(const std::string& path, std::uint64_t keep_bytes);

  // Writes flushed data to the disk (fsync). Returns false and sets errno if that fails.
  bool sync();

  // Size of the file if it is a regular file with one link; otherwise 0.
  static std::uint64_t bytes_of(const std::string& path);

 private:
  std::unique_ptr<__gnu_cxx::stdio_filebuf<char>> buffer_;
};

}  // namespace rocktable
