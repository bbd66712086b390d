// The checksum of RocksDB's log, computed with the instruction of the processor. Debian builds RocksDB for
// the oldest x86-64, where it uses tables: 10 % of the time of all writes. The linker redirects RocksDB's
// calls to this function (--wrap in CMakeLists.txt). A RocksDB in a shared library keeps its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocktable {

// Same as crc32c::Extend of RocksDB: extends `crc`, the CRC-32C (RFC 3720, appendix B.4) of earlier bytes, by
// `size` more bytes. The CRC of no bytes is 0.
std::uint32_t extend_crc32c(std::uint32_t crc, const char* bytes,
                            std::size_t size) asm("__wrap__ZN7rocksdb6crc32c6ExtendEjPKcm");

}  // namespace rocktable
