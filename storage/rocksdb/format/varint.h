// Numbers in the files of RocksDB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// Takes a number of seven bits a byte, the lowest first, from the beginning. Returns nullopt if there is none.
inline std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return out;
  }
  return std::nullopt;
}

// Takes a text behind its length. Returns nullopt if there is none.
inline std::optional<std::string_view> take_text(std::string_view& bytes) {
  const auto length = take_varint(bytes);
  if (!length || *length > bytes.size()) return std::nullopt;
  const std::string_view out = bytes.substr(0, *length);
  bytes.remove_prefix(*length);
  return out;
}

inline void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// `count` bytes, the lowest first.
inline void append_little_endian(std::string& out, std::uint64_t number, int count) {
  for (int i = 0; i < count; ++i) out += static_cast<char>(number >> (8 * i));
}

inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

}  // namespace rocktable
