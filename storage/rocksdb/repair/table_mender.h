// Reads the rows of a damaged table file of RocksDB without its footer and its index, and makes a file of them that
// RocksDB reads. Every row keeps its place and its number, so that the manifest needs no change, and older versions of
// a row in other files stay behind newer ones.
//
//   file     := blocks of rows, other blocks, footer
//   block    := contents, kind of compression (1 byte: 0, none), checksum (4 bytes)
//   contents of a block of rows := entries, restarts (4 bytes each), number of restarts (4 bytes)
//   entry    := bytes shared with the key before, further bytes, bytes of the value (varints), rest of the key, value
//   key      := key of the row, number of the operation << 8 | kind (8 bytes; kinds: 0 deletion, 1 value, 15 deletion
//   of a
//               range)
//   checksum := the low half of XXH3 of the contents, xor compression * 0x6b9083d9
//   footer   := kind of checksum (1 byte: 4), handle of the meta index, handle of the index, zeros up to 41 bytes,
//   version (4
//               bytes: 5), magic number (8 bytes)
//   handle   := offset and size of a block's contents (varints)
//
// The length of a block is known only from its index. A block ends where no further entry can be read, and its checksum
// shows that. Numbers are little-endian. Source: github.com/facebook/rocksdb/wiki/Rocksdb-BlockBasedTable-Format
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

// Rows that are lost between two others. A key is empty if no row is before or behind them in the file.
struct TableGap {
  std::string before, after;
};

struct MendedTable {
  unsigned family = 0;  // 1 catalog, 2 entities
  std::string bytes;
  std::vector<TableGap> gaps;
  std::uint64_t rows = 0;                                             // that are kept, deletions included
  enum class Ranges { Kept, MayBeLost, Lost } ranges = Ranges::Kept;  // deletions of whole ranges of rows
};

// What is known of the file from elsewhere.
struct TableFacts {
  unsigned family = 0;                // 0: not known
  std::optional<std::uint64_t> size;  // that the file must have; nullopt: any
  std::string largest;                // the key of its last row; empty: not known
};

// Mends the bytes of a table file, at least as far as they are there. All its rows may be lost.
MendedTable mend_table(std::string_view bytes, const TableFacts& facts);

}  // namespace rocktable
