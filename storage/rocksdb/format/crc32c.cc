#include "storage/rocksdb/format/crc32c.h"

#include <rocksdb/file_checksum.h>

namespace rocktable {

std::uint32_t crc32c(std::string_view bytes) {
  static const auto kFactory = rocksdb::GetFileChecksumGenCrc32cFactory();
  const auto generator = kFactory->CreateFileChecksumGenerator({});
  generator->Update(bytes.data(), bytes.size());
  generator->Finalize();
  std::uint32_t out = 0;
  for (const unsigned char byte : generator->GetChecksum()) out = out << 8 | byte;  // big-endian
  return out;
}

}  // namespace rocktable
