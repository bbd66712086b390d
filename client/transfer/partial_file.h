// The file that an export writes until it is whole. Its name is known to everybody who can write to the folder, so nothing
// that somebody has prepared there is written through: no link, no other name of a file elsewhere, no pipe.
#pragma once

#include <cstdint>
#include <ext/stdio_filebuf.h>
#include <memory>
#include <ostream>
#include <string>

namespace rocktable {

class PartialFile : public std::ostream {
 public:
  // With 0 a new file, in place of what has the name; else the first `keep_bytes` of the file of an earlier attempt, and
  // more behind them. Throws std::runtime_error, without a subject: `it is a link`, `No space left on device`.
  PartialFile(const std::string& path, std::uint64_t keep_bytes);

  // What was written and flushed is on the disk afterwards. False where that fails: errno says why.
  bool sync();

  // Bytes of a regular file of one name; 0 where there is none.
  static std::uint64_t bytes_of(const std::string& path);

 private:
  std::unique_ptr<__gnu_cxx::stdio_filebuf<char>> buffer_;
};

}  // namespace rocktable
