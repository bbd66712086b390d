// CRC-32C: examples of RFC 3720.
#include "storage/format/crc32c.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace rocktable {
namespace {

std::uint32_t crc32c(const std::string& bytes) { return extend_crc32c(0, bytes.data(), bytes.size()); }

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

TEST_CASE("CRC-32C: pieces of any length at any address give the same checksum") {
  std::string bytes(4'096, ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 3);
  const std::uint32_t whole = crc32c(bytes);
  for (std::size_t piece = 1; piece < 70; ++piece) {
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      crc = extend_crc32c(crc, bytes.data() + at, std::min(piece, bytes.size() - at));
    CHECK(crc == whole);
  }
}

}  // namespace
}  // namespace rocktable
