#include "storage/postgres/utf16_key.h"

#include <cstddef>
#include <cstdint>

#include "storage/format/entity_codec.h"

namespace rocktable {
namespace {

constexpr std::size_t kTableIdBytes = 8;
constexpr char16_t kAfterPartition = 1;

void append_unit(std::string& out, unsigned unit) {
  out += static_cast<char>(unit >> 8);
  out += static_cast<char>(unit & 0xFF);
}

// Keys are valid UTF-8: requests with other bytes are refused before.
void append_utf16(std::string& out, std::string_view utf8) {
  const auto byte = [&](std::size_t at) {
    return at < utf8.size() ? static_cast<unsigned char>(utf8[at]) & 0xFFu : 0u;
  };
  const auto rest = [&](std::size_t at) { return byte(at) & 0x3F; };
  for (std::size_t i = 0; i < utf8.size();) {
    const unsigned lead = byte(i);
    if (lead < 0x80) {
      append_unit(out, lead);
      i += 1;
    } else if (lead < 0xE0) {
      append_unit(out, (lead & 0x1F) << 6 | rest(i + 1));
      i += 2;
    } else if (lead < 0xF0) {
      append_unit(out, (lead & 0x0F) << 12 | rest(i + 1) << 6 | rest(i + 2));
      i += 3;
    } else {
      const unsigned above = ((lead & 0x07) << 18 | rest(i + 1) << 12 | rest(i + 2) << 6 | rest(i + 3)) - 0x10000;
      append_unit(out, 0xD800 + (above >> 10));
      append_unit(out, 0xDC00 + (above & 0x3FF));
      i += 4;
    }
  }
}

void append_utf8(std::string& out, unsigned code_point) {
  const auto add = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) return add(code_point);
  if (code_point < 0x800) {
    add(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      add(0xE0 | code_point >> 12);
    } else {
      add(0xF0 | code_point >> 18);
      add(0x80 | (code_point >> 12 & 0x3F));
    }
    add(0x80 | (code_point >> 6 & 0x3F));
  }
  add(0x80 | (code_point & 0x3F));
}

unsigned unit_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned>(static_cast<unsigned char>(text[at])) << 8 | static_cast<unsigned char>(text[at + 1]);
}

}  // namespace

std::string utf16_table_begin(TableId table) {
  std::string out;
  const auto id = static_cast<std::uint64_t>(table);
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(id >> shift & 0xFF);
  return out;
}

std::string utf16_table_end(TableId table) { return utf16_table_begin(table + 1); }

std::string utf16_key(TableId table, std::string_view partition_key, std::string_view row_key) {
  std::string out = utf16_table_begin(table);
  out.reserve(out.size() + 2 * (partition_key.size() + 1 + row_key.size()));
  append_utf16(out, partition_key);
  append_unit(out, 0);
  append_utf16(out, row_key);
  return out;
}

std::string utf16_bound(TableId table, const EntityKey& bound) {
  const std::string_view partition_key = bound.partition_key;
  if (!partition_key.ends_with('\0')) return utf16_key(table, partition_key, bound.row_key);
  std::string out = utf16_table_begin(table);
  append_utf16(out, partition_key.substr(0, partition_key.size() - 1));
  append_unit(out, kAfterPartition);
  return out;
}

EntityKey decode_utf16_key(std::string_view key) {
  if (key.size() < kTableIdBytes + 2 || key.size() % 2 != 0)
    throw CorruptRecord("an entity's key has " + std::to_string(key.size()) + " bytes");
  EntityKey out;
  std::string* text = &out.partition_key;
  for (std::size_t at = kTableIdBytes; at < key.size(); at += 2) {
    const unsigned unit = unit_at(key, at);
    if (unit == 0) {
      if (text == &out.row_key) throw CorruptRecord("an entity's key has more than two parts");
      text = &out.row_key;
    } else if (unit >= 0xD800 && unit < 0xDC00 && at + 3 < key.size()) {
      at += 2;
      append_utf8(*text, 0x10000 + ((unit - 0xD800) << 10 | ((unit_at(key, at) - 0xDC00) & 0x3FF)));
    } else {
      append_utf8(*text, unit);
    }
  }
  if (text == &out.partition_key) throw CorruptRecord("an entity's key has no end of the partition key");
  return out;
}

}  // namespace rocktable
