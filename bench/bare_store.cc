// Opens the files of a store with RocksDB directly. Only this file of the benchmarks uses RocksDB.
#include "bench/bare_store.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_util.h>

#include <chrono>
#include <string>
#include <vector>

#include "bench/sample_entities.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/format/key_codec.h"

namespace rocktable {
namespace {

// A database with the options of the store.
struct Database {
  Database(const std::filesystem::path& directory, bool read_only) {
    rocksdb::ConfigOptions config;
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    auto cache = rocksdb::NewLRUCache(128 << 20);
    check(rocksdb::LoadLatestOptions(config, directory.string(), &options, &families, &cache));
    rocksdb::DB* opened = nullptr;
    check(read_only ? rocksdb::DB::OpenForReadOnly(options, directory.string(), families, &handles, &opened)
                    : rocksdb::DB::Open(options, directory.string(), families, &handles, &opened));
    db.reset(opened);
    for (auto* handle : handles)
      if (handle->GetName() == "entities") entities = handle;
  }

  ~Database() {
    for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::ColumnFamilyHandle* entities = nullptr;
};

}  // namespace

struct BareIteration::Impl {
  Database database;
  TableId table;
};

BareIteration::BareIteration(const std::filesystem::path& directory, std::uint64_t table)
    : impl_(new Impl{{directory, true}, TableId{table}}) {}

BareIteration::~BareIteration() = default;

std::uint64_t BareIteration::run() {
  const std::string begin = encode_table_prefix(impl_->table), end = encode_table_end(impl_->table);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(impl_->database.db->NewIterator(options, impl_->database.entities));
  std::uint64_t count = 0;
  for (rows->Seek(begin); rows->Valid(); rows->Next()) ++count;
  check(rows->status());
  return count;
}

void compact_store(const std::filesystem::path& directory) {
  Database database(directory, false);
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  check(database.db->CompactRange(options, database.entities, nullptr, nullptr));
}

double bare_write_rate(const std::filesystem::path& directory, const std::filesystem::path& new_directory,
                       std::size_t batches) {
  rocksdb::Options options;
  {
    rocksdb::DBOptions db_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    check(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), directory.string(), &db_options, &families));
    options = rocksdb::Options(db_options, families.back().options);
  }
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  check(rocksdb::DB::Open(options, new_directory.string(), &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  constexpr std::size_t kRows = 100;
  const std::string record(1003, 'x');
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < batches; ++i) {
    rocksdb::WriteBatch batch;
    for (std::size_t row = 0; row < kRows; ++row)
      check(batch.Put(encode_entity_key(TableId{1}, partition_of(i * kRows), row_of(i * kRows + row)), record));
    check(db->Write({}, &batch));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(batches * kRows) / seconds.count();
}

}  // namespace rocktable
