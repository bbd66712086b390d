// The bytes of the catalog (column family "catalog").
//
//   table key := 'a'  account  0x00  table name in lower case
//   table row := format (1 byte: 1)  table id (8 bytes)  creation time (8 bytes: ticks)  table name as created
//
//   'c' table id (8 bytes)  8 bytes: how many ids, from this one on, a clone of an account fills that is not finished
//   'i' table id (8 bytes)  the table's signed identifiers: a document whose form is the caller's
//   'p' account             the account's service properties: likewise
//   'm' "clock"             8 bytes: high-water mark of the clock, ticks
//   'm' "contents"         32 hex digits: which contents these are (contents_id.h); none in stores of earlier versions
//   'm' "format"            8 bytes: version of the whole store's format
//   'm' "table id"          8 bytes: the next table's id
//
// Numbers are big-endian.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "odata/date_time.h"
#include "storage/format/key_codec.h"

namespace rocktable {

inline constexpr std::uint64_t kStoreFormat = 1;
inline constexpr std::string_view kClockKey = "mclock";
inline constexpr std::string_view kContentsKey = "mcontents";
inline constexpr std::string_view kFormatKey = "mformat";
inline constexpr std::string_view kNextTableIdKey = "mtable id";

// From the first key on and before the second: the rows of all tables, and all that belongs to accounts.
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
// Just behind the last table of an account.
std::string encode_account_end(std::string_view account);

// Of a table key; a view into it.
std::string_view account_of_table_key(std::string_view key);

std::string encode_table_row(const TableRow& row);
std::string encode_number(std::uint64_t number);

// Throw CorruptRecord.
TableId decode_clone_key(std::string_view key);
TableRow decode_table_row(std::string_view bytes);
std::uint64_t decode_number(std::string_view bytes);

}  // namespace rocktable
