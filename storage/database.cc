#include "storage/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>

#include "storage/rocksdb.h"

namespace rocktable {
namespace {

// The format of table files: the newest one that RocksDB 7.8 reads. Newer releases write another one by themselves, and a store
// would then open with the release that wrote it, and not with the one before.
constexpr std::uint32_t kTableFormat = 5;

// Figures: measured for entities of about 1 KB on two cores. Uncompressed blocks scan 1.5 to 1.8 times as
// fast as LZ4 for a fifth more disk. Blocks of 16 KiB: a read of one that is not in the cache takes 5.4 us, with 32 KiB
// 7.0, and a scan that reads ahead hardly notices. Six memtables: with three, writers at full speed stood still now and
// then until one was flushed.
rocksdb::ColumnFamilyOptions entities_options() {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 16 << 10;
  table.block_cache = rocksdb::NewLRUCache(128 << 20);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = kTableFormat;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = 32 << 20;
  options.max_write_buffer_number = 6;
  options.level0_file_num_compaction_trigger = 4;
  options.level0_slowdown_writes_trigger = 40;
  options.level0_stop_writes_trigger = 80;
  options.soft_pending_compaction_bytes_limit = 256ull << 30;
  return options;
}

rocksdb::ColumnFamilyOptions catalog_options() {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = kTableFormat;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = 4 << 20;
  return options;
}

// RocksDB by itself would wait for as much room as a buffer takes, look every five seconds, and refuse to be told to go
// on meanwhile. Impl::write tells it.
class NoRecoveryByItself : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* recovers) override {
    *recovers = false;
  }
};

}  // namespace

std::vector<rocksdb::ColumnFamilyDescriptor> column_families() {
  return {{rocksdb::kDefaultColumnFamilyName, catalog_options()},
          {"catalog", catalog_options()},
          {"entities", entities_options()}};
}

rocksdb::DBOptions database_options(rocksdb::Env* env) {
  rocksdb::DBOptions options;
  options.env = env;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_total_wal_size = 64 << 20;  // else one unflushed row of the catalog pins the whole log
  options.wal_recovery_mode =
      rocksdb::WALRecoveryMode::kPointInTimeRecovery;  // check_whole sees what it passes over
  options.avoid_flush_during_recovery = true;
  options.max_open_files = 256;  // of the process's descriptors: connections need the others
  options.info_log = std::make_shared<NoLog>();
  options.listeners.push_back(std::make_shared<NoRecoveryByItself>());
  return options;
}

// The limits are there to be told: without a rate it would not use its thread, and large trash it would remove at once.
std::shared_ptr<rocksdb::SstFileManager> background_removal(rocksdb::Env* env) {
  constexpr std::int64_t kBytesPerSecond = 4ll << 30;
  constexpr double kTrashPerData = 1e9;
  rocksdb::Status status;
  std::shared_ptr<rocksdb::SstFileManager> manager(
      rocksdb::NewSstFileManager(env, nullptr, "", kBytesPerSecond, true, &status, kTrashPerData));
  check(status);
  return manager;
}

Database::Database(const rocksdb::DBOptions& options, const std::string& directory) {
  rocksdb::DB* db = nullptr;
  check(rocksdb::DB::Open(options, directory, column_families(), &handles_, &db));
  db_.reset(db);
}

Database::~Database() {
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  db_->Close().PermitUncheckedError();
}

}  // namespace rocktable
