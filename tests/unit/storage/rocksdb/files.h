// A small store on disk, and changes to its rows with RocksDB itself.
#pragma once

#include <rocksdb/db.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/storage/store.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable {

// Creates a store with three entities in partition p: 1, 2, 3.
inline void fill(const StoreOptions& options) {
  OpenedStore store(options);
  REQUIRE(store.create_table(kTable).has_value());
  std::vector<Mutation> writes;
  for (const char* row : {"1", "2", "3"}) writes.push_back(insert(row, {{"n", std::string(row)}}));
  committed(store, kTable, "p", writes);
}

// Returns the row keys in key order, such as `123`.
inline std::string rows(const OpenedStore& store, const TableName& name = kTable,
                        const KeyRanges& ranges = all_keys()) {
  std::string out;
  for (const Entity& entity : entities_in(store, name, ranges)) out += entity.key.row_key;
  return out;
}

// Changes a database. Column families are in the order of the store: 1 is the catalog, 2 the entities.
using Change = std::function<void(rocksdb::DB&, const std::vector<rocksdb::ColumnFamilyHandle*>&)>;

inline void change(const StoreOptions& store, const Change& apply) {
  const rocksdb::ColumnFamilyOptions options;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  const auto status =
      rocksdb::DB::Open({}, store.directory.string(),
                        {{"default", options}, {"catalog", options}, {"entities", options}}, &families, &opened);
  REQUIRE(status.ToString() == "OK");
  const std::unique_ptr<rocksdb::DB> db(opened);
  apply(*db, families);
  for (auto* family : families) db->DestroyColumnFamilyHandle(family);
}

inline Change put(std::size_t family, std::string_view key, std::string_view value) {
  return [=, key = std::string(key), value = std::string(value)](rocksdb::DB& db, const auto& families) {
    REQUIRE(db.Put({}, families[family], key, value).ToString() == "OK");
  };
}

}  // namespace rocktable
