#include "storage/rocksdb/format/key_codec.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "storage/format/entity_codec.h"

namespace rocktable {
namespace {

constexpr std::size_t kTableIdBytes = 8;
constexpr char kPartitionKeyEnd = '\x00';
constexpr char kAfterPartition = '\x01';

bool has_four_byte_sequence(std::string_view utf8) {
  for (const char c : utf8)
    if (static_cast<unsigned char>(c) >= 0xF0) return true;
  return false;
}

bool is_between(std::string_view text, std::size_t at, unsigned char first, unsigned char last) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return first <= byte && byte <= last;
}

// Returns whether a surrogate pair (high, low) of CESU-8 begins at `at`. UTF-8 also has the lead byte 0xED,
// followed by 0x80..0x9F (U+D000..U+D7FF). A lone surrogate occurs only in a damaged key; it is copied
// unchanged, without the bytes after it.
bool is_pair(std::string_view text, std::size_t at) {
  return text[at] == '\xED' && at + 5 < text.size() && is_between(text, at + 1, 0xA0, 0xAF) &&
         is_between(text, at + 2, 0x80, 0xBF) && text[at + 3] == '\xED' && is_between(text, at + 4, 0xB0, 0xBF) &&
         is_between(text, at + 5, 0x80, 0xBF);
}

bool has_pair(std::string_view cesu8) {
  for (auto at = cesu8.find('\xED'); at != std::string_view::npos; at = cesu8.find('\xED', at + 1))
    if (is_pair(cesu8, at)) return true;
  return false;
}

void append_three_bytes(std::string& out, unsigned code_unit) {
  out += static_cast<char>(0xE0 | (code_unit >> 12));
  out += static_cast<char>(0x80 | ((code_unit >> 6) & 0x3F));
  out += static_cast<char>(0x80 | (code_unit & 0x3F));
}

unsigned low_bits(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]) & 0x3Fu; }

// Returns the ten bits of a code point in the surrogate at `at`.
unsigned surrogate_bits(std::string_view cesu8, std::size_t at) {
  return ((low_bits(cesu8, at + 1) & 0x0F) << 6) | low_bits(cesu8, at + 2);
}

void append_big_endian(std::string& out, std::uint64_t number) {
  if constexpr (std::endian::native == std::endian::little) number = __builtin_bswap64(number);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

}  // namespace

void append_cesu8(std::string& out, std::string_view utf8) {
  if (!has_four_byte_sequence(utf8)) {
    out += utf8;
    return;
  }
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    if (lead < 0xF0 || i + 3 >= utf8.size()) {
      out += utf8[i++];
      continue;
    }
    const unsigned code_point =
        ((lead & 0x07u) << 18) | (low_bits(utf8, i + 1) << 12) | (low_bits(utf8, i + 2) << 6) | low_bits(utf8, i + 3);
    append_three_bytes(out, 0xD800 + ((code_point - 0x10000) >> 10));
    append_three_bytes(out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
    i += 4;
  }
}

void append_utf8(std::string& out, std::string_view cesu8) {
  for (std::size_t i = 0; i < cesu8.size();) {
    if (!is_pair(cesu8, i)) {
      out += cesu8[i++];
      continue;
    }
    const unsigned code_point = 0x10000 + ((surrogate_bits(cesu8, i) << 10) | surrogate_bits(cesu8, i + 3));
    out += static_cast<char>(0xF0 | (code_point >> 18));
    out += static_cast<char>(0x80 | ((code_point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
    i += 6;
  }
}

std::string encode_table_prefix(TableId table) {
  std::string out;
  append_big_endian(out, static_cast<std::uint64_t>(table));
  return out;
}

std::string encode_table_end(TableId table) { return encode_table_prefix(table + 1); }

std::string encode_entity_key(TableId table, std::string_view partition_key, std::string_view row_key) {
  std::string out;
  out.reserve(kTableIdBytes + partition_key.size() + 1 + row_key.size());
  append_big_endian(out, static_cast<std::uint64_t>(table));
  append_cesu8(out, partition_key);
  out += kPartitionKeyEnd;
  append_cesu8(out, row_key);
  return out;
}

std::string encode_bound(TableId table, const EntityKey& bound) {
  const std::string_view partition_key = bound.partition_key;
  if (!partition_key.ends_with('\0')) return encode_entity_key(table, partition_key, bound.row_key);
  std::string out = encode_table_prefix(table);
  append_cesu8(out, partition_key.substr(0, partition_key.size() - 1));
  out += kAfterPartition;
  return out;
}

EntityKeyView decode_entity_key(std::string_view key, std::string& scratch) {
  if (key.size() < kTableIdBytes) throw CorruptRecord("an entity's key is shorter than a table id");
  std::string_view text = key.substr(kTableIdBytes);
  if (has_pair(text)) {
    scratch.clear();
    append_utf8(scratch, text);
    text = scratch;
  }
  const auto end = text.find(kPartitionKeyEnd);
  if (end == std::string_view::npos) throw CorruptRecord("an entity's key has no end of the partition key");
  return {text.substr(0, end), text.substr(end + 1)};
}

}  // namespace rocktable
