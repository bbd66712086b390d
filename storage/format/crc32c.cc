#include "storage/format/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <limits>

namespace rocktable {

std::uint32_t extend_crc32c(std::uint32_t crc, const char* bytes, std::size_t size) {
  constexpr std::size_t kAtOnce = std::numeric_limits<int>::max();
  std::uint32_t state = ~crc;
  while (size > 0) {
    const std::size_t count = std::min(size, kAtOnce);
    // The library does not write to the buffer; only its newer versions declare it const.
    auto* begin = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes));
    state = crc32_iscsi(begin, static_cast<int>(count), state);
    bytes += count;
    size -= count;
  }
  return ~state;
}

}  // namespace rocktable
