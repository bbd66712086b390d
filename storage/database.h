// RocksDB opened as one of our stores: its options, its column families, its handles in order.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <memory>
#include <string>
#include <vector>

namespace rocktable {

// Of every store, in this order: RocksDB's own, which is empty, the catalog, the entities.
std::vector<rocksdb::ColumnFamilyDescriptor> column_families();

// As a store at work is opened.
rocksdb::DBOptions database_options(rocksdb::Env* env);

// A thread of RocksDB's own removes files: that takes some 8 ms for each, and whoever deletes a large table would
// wait for them all. What it has not got round to is renamed already, and gone after the next start.
std::shared_ptr<rocksdb::SstFileManager> background_removal(rocksdb::Env* env);

// Closed in order when it goes out of scope. Does not flush.
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
