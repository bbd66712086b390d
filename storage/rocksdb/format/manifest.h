// The table files that a manifest of RocksDB names.
//
//   manifest := a log (log_check.h) whose records are edits
//   edit     := fields: a varint tag, and what belongs to the tag
//
// Source: github.com/facebook/rocksdb/wiki/MANIFEST, and db/version_edit.h for the tags.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

struct ListedTable {
  unsigned family = 0;  // 1 catalog, 2 entities
  std::uint64_t size = 0;
  std::string smallest, largest;    // keys of rows
  std::uint64_t last_sequence = 0;  // the highest number of an operation in it
};

using ListedTables = std::map<std::uint64_t, ListedTable>;  // by the number in the file's name

// Returns nullopt if a part of it is damaged, or not known.
std::optional<ListedTables> tables_of_manifest(std::string_view manifest);

}  // namespace rocktable
