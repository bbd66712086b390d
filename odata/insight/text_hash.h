// A hash of short texts for look-ups and estimates within this process. Not for what is stored, nor against attackers:
// who may send requests may also make them slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rocktable {

// Joins two hashes; the order matters. All bits of the result depend on all bits of both.
inline std::uint64_t joined_hash(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t text_hash(std::string_view text) {
  const char* const bytes = text.data();
  const std::size_t size = text.size();
  const auto word_at = [&](std::size_t place) {
    std::uint64_t out = 0;
    std::memcpy(&out, bytes + place, 8);
    return out;
  };
  const auto half_at = [&](std::size_t place) {
    std::uint32_t out = 0;
    std::memcpy(&out, bytes + place, 4);
    return std::uint64_t{out};
  };
  std::uint64_t out = size;
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) out = joined_hash(out, word_at(i));
    return joined_hash(out, word_at(size - 8));  // overlaps the word before
  }
  if (size >= 4) return joined_hash(out, half_at(0) << 32 | half_at(size - 4));
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return joined_hash(out, word);
}

}  // namespace rocktable
