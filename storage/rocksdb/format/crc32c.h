// CRC-32C, the checksum of RocksDB's logs and of files in snapshots.
#pragma once

#include <cstdint>
#include <string_view>

namespace rocktable {

// Returns the CRC-32C (RFC 3720, appendix B.4) of `bytes`.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace rocktable
