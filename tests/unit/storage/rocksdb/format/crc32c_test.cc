// CRC-32C: examples of RFC 3720.
#include "storage/rocksdb/format/crc32c.h"

#include <doctest/doctest.h>

#include <string>

namespace rocktable::TEST_FILE {
namespace {

std::string counted(int first, int step) {
  std::string out;
  for (int i = 0; i < 32; ++i) out += static_cast<char>(first + i * step);
  return out;
}

TEST_CASE("CRC-32C: the examples of RFC 3720, B.4") {
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  CHECK(crc32c(counted(0, 1)) == 0x46dd794e);
  CHECK(crc32c(counted(31, -1)) == 0x113fdb5c);
  CHECK(crc32c("123456789") == 0xe3069283);
  CHECK(crc32c("") == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
