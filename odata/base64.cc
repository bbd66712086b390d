// Base64 with one table per direction. Three bytes become four characters: aaaaaabb bbbbcccc ccdddddd. The
// encoder writes characters in pairs, from a table of all 4,096 pairs, and reads six bytes at a time.
#include "odata/base64.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rocktable {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kInvalid = 0x80;  // above all values; survives an `or` of several values

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kInvalid);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

// Eight bytes, the first one highest.
std::uint64_t word_at(std::string_view bytes, std::size_t i) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + i, sizeof word);
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

std::uint32_t value_at(std::string_view text, std::size_t i) { return kValues[byte_at(text, i)]; }

char character(std::uint32_t value) { return kAlphabet[value & 0x3Fu]; }

constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 0x3Fu]};
  return pairs;
}();

char* write_pair(char* out, std::uint64_t value) {
  std::memcpy(out, kPairs[value & 0xFFFu].data(), 2);
  return out + 2;
}

}  // namespace

char* write_base64(char* out, std::string_view bytes) {
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes.size(); i += 6) {  // the last two bytes belong to the next round
    const std::uint64_t word = word_at(bytes, i);
    out = write_pair(write_pair(out, word >> 52), word >> 40);
    out = write_pair(write_pair(out, word >> 28), word >> 16);
  }
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    out = write_pair(write_pair(out, group >> 12), group);
  }
  const std::size_t left = bytes.size() - i;
  if (left == 0) return out;
  const std::uint32_t group = byte_at(bytes, i) << 16 | (left == 2 ? byte_at(bytes, i + 1) << 8 : 0);
  *out++ = character(group >> 18);
  *out++ = character(group >> 12);
  *out++ = left == 2 ? character(group >> 6) : '=';
  *out++ = '=';
  return out;
}

void append_base64(std::string& out, std::string_view bytes) {
  const std::size_t at = out.size();
  out.resize(at + base64_length(bytes.size()));
  write_base64(out.data() + at, bytes);
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes((text.size() + padding) / 4 * 3 - padding, '\0');
  std::size_t at = 0;
  std::size_t i = 0;
  std::uint32_t seen = 0;
  for (; i + 4 <= text.size(); i += 4) {
    const std::uint32_t a = value_at(text, i), b = value_at(text, i + 1), c = value_at(text, i + 2),
                        d = value_at(text, i + 3);
    seen |= a | b | c | d;
    const std::uint32_t group = a << 18 | b << 12 | c << 6 | d;
    bytes[at++] = static_cast<char>(group >> 16 & 0xFFu);
    bytes[at++] = static_cast<char>(group >> 8 & 0xFFu);
    bytes[at++] = static_cast<char>(group & 0xFFu);
  }
  if (padding > 0) {
    const std::uint32_t a = value_at(text, i), b = value_at(text, i + 1),
                        c = padding == 1 ? value_at(text, i + 2) : 0;
    seen |= a | b | c;
    bytes[at++] = static_cast<char>((a << 2 | b >> 4) & 0xFFu);
    if (padding == 1) bytes[at] = static_cast<char>((b << 4 | c >> 2) & 0xFFu);
  }
  if ((seen & kInvalid) != 0) return std::nullopt;
  return bytes;
}

}  // namespace rocktable
