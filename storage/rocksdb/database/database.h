// RocksDB opened as a store: options, column families in order, handles.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "storage/store_error.h"

namespace rocktable {

// The column families of every store, in this order: RocksDB's default (empty), the catalog, the entities.
std::vector<rocksdb::ColumnFamilyDescriptor> column_families();

// Returns the options for a store that serves requests.
rocksdb::DBOptions database_options(rocksdb::Env* env);

// Returns a manager that removes files on a thread of RocksDB. Removing one file takes some 8 ms, and
// deleting a large table would wait for all of its files. Files that are not removed yet have been renamed,
// and the next start removes them.
std::shared_ptr<rocksdb::SstFileManager> background_removal(rocksdb::Env* env);

// Returns whether another process, or another store of this one, has the folder open. `status` is what RocksDB
// returned for its lock or the opening.
bool is_in_use(const rocksdb::Status& status);

// Returns the refusal of a folder that is in use, with its absolute path.
StoreError in_use(const std::filesystem::path& folder);

// The destructor closes the database. It does not flush.
class Database {
 public:
  // Throws StoreFault.
  Database(const rocksdb::DBOptions& options, const std::string& directory);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* catalog() const { return handles_[1]; }
  rocksdb::ColumnFamilyHandle* entities() const { return handles_[2]; }

 private:
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace rocktable
