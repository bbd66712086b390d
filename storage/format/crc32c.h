// CRC-32C, the checksum of RocksDB's logs and of files in snapshots, computed with the instruction of the
// processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocktable {

// Extends `crc`, the CRC-32C (RFC 3720, appendix B.4) of earlier bytes, by `size` more bytes. The CRC of no
// bytes is 0.
std::uint32_t extend_crc32c(std::uint32_t crc, const char* bytes, std::size_t size);

}  // namespace rocktable
