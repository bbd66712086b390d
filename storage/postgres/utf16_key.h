// The bytes of entity keys in PostgreSQL.
//
//   key := table id (8 bytes, big-endian)  PartitionKey  0x0000  RowKey
//
// Key text is UTF-16, big-endian: its byte order is the order of the service. U+0000 sorts before every character that
// a key may hold. A key has at most 2,058 bytes. As CESU-8, two long keys would exceed a row of a btree index (2,704
// bytes).
#pragma once

#include <string>
#include <string_view>

#include "odata/entity.h"
#include "storage/format/table_id.h"

namespace rocktable {

std::string utf16_key(TableId table, std::string_view partition_key, std::string_view row_key);

// Encodes a bound (odata/key_ranges.h): a key, or the end of all keys with a prefix if its text ends in U+0000.
std::string utf16_bound(TableId table, const EntityKey& bound);

// The bounds of a table.
std::string utf16_table_begin(TableId table);
std::string utf16_table_end(TableId table);

// The reverse of utf16_key(), without the table id. Throws CorruptRecord.
EntityKey decode_utf16_key(std::string_view key);

}  // namespace rocktable
