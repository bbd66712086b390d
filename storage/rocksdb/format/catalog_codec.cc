#include "storage/rocksdb/format/catalog_codec.h"

#include "base/text.h"
#include "storage/format/entity_codec.h"

namespace rocktable {
namespace {

constexpr char kTableTag = 'a';
constexpr char kAccountEnd = '\x00';
constexpr char kTableRowFormat = '\x01';
constexpr std::size_t kNumberBytes = 8;

// Returns the prefix of an account's keys, with room for so many more bytes.
std::string account_with(std::string_view account, char end, std::size_t room = 0) {
  std::string out;
  out.reserve(account.size() + 2 + room);
  out += kTableTag;
  out += account;
  out += end;
  return out;
}

}  // namespace

std::string encode_identifiers_key(TableId table) { return "i" + encode_table_prefix(table); }

std::string encode_clone_key(TableId first) { return std::string(kCloneTag) + encode_table_prefix(first); }

TableId decode_clone_key(std::string_view key) {
  return static_cast<TableId>(decode_number(key.substr(kCloneTag.size())));
}

std::string encode_properties_key(std::string_view account) { return "p" + std::string(account); }

std::string encode_account_prefix(std::string_view account) { return account_with(account, kAccountEnd); }

std::string encode_account_end(std::string_view account) { return account_with(account, '\x01'); }

std::string encode_table_key(std::string_view account, std::string_view table_name) {
  std::string out = account_with(account, kAccountEnd, table_name.size());
  append_lower_ascii(out, table_name);
  return out;
}

std::string_view account_of_table_key(std::string_view key) { return key.substr(1, key.find('\x00') - 1); }

std::string encode_number(std::uint64_t number) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
  return out;
}

std::uint64_t decode_number(std::string_view bytes) {
  if (bytes.size() != kNumberBytes) throw CorruptRecord("a number in the catalog does not have eight bytes");
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

std::string encode_table_row(const TableRow& row) {
  return kTableRowFormat + encode_number(static_cast<std::uint64_t>(row.id)) +
         encode_number(static_cast<std::uint64_t>(row.created.ticks)) + row.name;
}

TableRow decode_table_row(std::string_view bytes) {
  if (bytes.size() < 1 + 2 * kNumberBytes || bytes[0] != kTableRowFormat)
    throw CorruptRecord("a table's row in the catalog is damaged");
  return {static_cast<TableId>(decode_number(bytes.substr(1, kNumberBytes))),
          {static_cast<std::int64_t>(decode_number(bytes.substr(1 + kNumberBytes, kNumberBytes)))},
          std::string(bytes.substr(1 + 2 * kNumberBytes))};
}

}  // namespace rocktable
