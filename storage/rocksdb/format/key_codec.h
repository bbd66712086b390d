// The bytes of entity keys in RocksDB (column family "entities").
//
//   entity key := table id (8 bytes, big-endian)  partition key  0x00  row key
//
// Byte order is (table, PartitionKey, RowKey) order: 0x00 sorts below every byte that a key may hold. It
// needs no escape, because the service forbids U+0000..U+001F in keys. Key text is CESU-8 (UTF-8 in which a
// character outside the BMP is its two surrogates, three bytes each). The byte order of CESU-8 is the UTF-16
// order of the service.
#pragma once

#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/key_ranges.h"
#include "storage/format/table_id.h"

namespace rocktable {

void append_cesu8(std::string& out, std::string_view utf8);
void append_utf8(std::string& out, std::string_view cesu8);

std::string encode_table_prefix(TableId table);
std::string encode_entity_key(TableId table, std::string_view partition_key, std::string_view row_key);

// Encodes a bound (odata/key_ranges.h): a key, or the end of all keys with a prefix if its text ends in
// U+0000. The end of a partition is its prefix followed by 0x01.
std::string encode_bound(TableId table, const EntityKey& bound);
// Returns the bound after the last key of a table.
std::string encode_table_end(TableId table);

// The reverse of encode_entity_key(), without the table id. Converts only keys with characters outside the
// BMP: `scratch` then holds the text. Otherwise the views point into `key`. Throws CorruptRecord if there is
// no 0x00.
EntityKeyView decode_entity_key(std::string_view key, std::string& scratch);

}  // namespace rocktable
