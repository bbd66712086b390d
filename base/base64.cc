// Base64. Three bytes become four characters: aaaaaabb bbbbcccc ccdddddd. The encoder writes characters in pairs,
// from a table of all 4,096 pairs, and reads six bytes at a time. The decoder has a table for each of the four
// characters of a group, whose entries contain the character's bits where they belong in the three bytes.
#include "base/base64.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rocktable {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// Not among the bits of the three bytes. Survives an `or` of several entries.
constexpr std::uint32_t kInvalid = 0x8000'0000;

// The bits of each character at its position in a group. The first of the three bytes is the lowest.
constexpr auto kGroupBits = [] {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  for (std::size_t position = 0; position < tables.size(); ++position) {
    tables[position].fill(kInvalid);
    for (std::uint32_t value = 0; value < kAlphabet.size(); ++value) {
      const std::uint32_t group = value << (18 - 6 * position);
      tables[position][static_cast<unsigned char>(kAlphabet[value])] =
          group >> 16 | (group & 0xFF00U) | (group & 0xFFU) << 16;
    }
  }
  return tables;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

// Eight bytes, the first one highest.
std::uint64_t word_at(std::string_view bytes, std::size_t i) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + i, sizeof word);
  return __builtin_bswap64(word);
}

// Returns the bits of the character at a position of its group.
std::uint32_t bits_of(const char* group, std::size_t position) {
  return kGroupBits[position][static_cast<unsigned char>(group[position])];
}

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

bool append_decoded_base64(std::string& out, std::string_view text) {
  if (text.size() % 4 != 0) return false;
  std::size_t padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  const std::size_t begin = out.size(), groups = text.size() / 4, left = text.size() % 4;
  // A group is written as four bytes. The next group overwrites the fourth.
  out.resize(begin + 3 * groups + 4);
  char* at = out.data() + begin;
  std::uint32_t seen = 0;
  const char* from = text.data();
  for (std::size_t i = 0; i < groups; ++i, from += 4, at += 3) {
    const std::uint32_t group = bits_of(from, 0) | bits_of(from, 1) | bits_of(from, 2) | bits_of(from, 3);
    seen |= group;
    std::memcpy(at, &group, sizeof(group));
  }
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < left; ++i) last |= bits_of(from, i);
  seen |= last;
  std::memcpy(at, &last, sizeof(last));
  const bool valid = (seen & kInvalid) == 0;
  out.resize(valid ? begin + 3 * groups + (left == 0 ? 0 : left - 1) : begin);
  return valid;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  if (!append_decoded_base64(bytes, text)) return std::nullopt;
  return bytes;
}

}  // namespace rocktable
