// The checksum of RocksDB's log, by the processor's own instruction. Debian builds RocksDB for the oldest x86-64, where it
// reckons with tables: a tenth of all the time that writes took. The linker leads RocksDB's calls here (--wrap in
// CMakeLists.txt); a RocksDB in a shared library keeps its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocktable {

// What RocksDB calls crc32c::Extend: the CRC-32C (RFC 3720, appendix B.4) of the bytes whose checksum is `crc` and `size` more behind
// them; 0 is that of none.
std::uint32_t extend_crc32c(std::uint32_t crc, const char* bytes,
                            std::size_t size) asm("__wrap__ZN7rocksdb6crc32c6ExtendEjPKcm");

}  // namespace rocktable
