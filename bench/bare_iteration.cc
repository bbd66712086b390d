#include "bench/bare_iteration.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/options_util.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "storage/key_codec.h"

namespace rocktable {
namespace {

constexpr TableId kOnlyTable{1};

void check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB failed: " + status.ToString());
}

// A database with the options that the store gave it.
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
};

BareIteration::BareIteration(const std::filesystem::path& directory) : impl_(new Impl{{directory, true}}) {}

BareIteration::~BareIteration() = default;

std::uint64_t BareIteration::run() {
  const std::string begin = encode_table_prefix(kOnlyTable), end = encode_table_end(kOnlyTable);
  const rocksdb::Slice end_slice(end);
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->database.db->NewIterator(options, impl_->database.entities));
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

}  // namespace rocktable
