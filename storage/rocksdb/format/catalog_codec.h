// The bytes of the catalog (column family "catalog").
//
//   table key := 'a'  account  0x00  table name in lower case
//   table row := format (1 byte: 1)  table id (8 bytes)  creation time (8 bytes: ticks)  table name
//                as created
//
//   'c' table id (8 bytes)  8 bytes: number of ids, from this one, that an unfinished clone or seed uses
//   'i' table id (8 bytes)  signed identifiers of the table: a document in the caller's format
//   'p' account             service properties of the account: a document in the caller's format
//   'm' "clock"             8 bytes: high-water mark of the clock, ticks
//   'm' "contents"          32 hexadecimal digits: id of the contents (contents_id.h); absent in old stores
//   'm' "format"            8 bytes: version of the format of the whole store
//   'm' "table id"          8 bytes: id of the next table
//
// Numbers are big-endian.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/date_time.h"
#include "storage/rocksdb/format/key_codec.h"

namespace rocktable {

inline constexpr std::uint64_t kStoreFormat = 1;
inline constexpr std::string_view kClockKey = "mclock";
inline constexpr std::string_view kContentsKey = "mcontents";
inline constexpr std::string_view kFormatKey = "mformat";
inline constexpr std::string_view kNextTableIdKey = "mtable id";

// Half-open ranges of keys: the rows of all tables, and all rows that belong to accounts.
using CatalogRange = std::pair<std::string_view, std::string_view>;
inline constexpr CatalogRange kTableRows{"a", "b"};
inline constexpr std::array<CatalogRange, 3> kAccountRows{{kTableRows, {"i", "j"}, {"p", "q"}}};

struct TableRow {
  TableId id;
  DateTime created;
  std::string name;
};

std::string encode_table_key(std::string_view account, std::string_view table_name);
std::string encode_identifiers_key(TableId table);
std::string encode_properties_key(std::string_view account);
std::string encode_clone_key(TableId first);
inline constexpr std::string_view kCloneTag = "c";
std::string encode_account_prefix(std::string_view account);
// Returns the bound after the last table of an account.
std::string encode_account_end(std::string_view account);

// Returns the account of a table key, as a view into it.
std::string_view account_of_table_key(std::string_view key);

std::string encode_table_row(const TableRow& row);
std::string encode_number(std::uint64_t number);

// These throw CorruptRecord.
TableId decode_clone_key(std::string_view key);
TableRow decode_table_row(std::string_view bytes);
std::uint64_t decode_number(std::string_view bytes);

}  // namespace rocktable
