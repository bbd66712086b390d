#include "storage/rocksdb/database/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include "storage/rocksdb/database/rocksdb.h"

namespace rocktable {
namespace {

// The format of table files: the newest one that RocksDB 7.8 reads. Newer RocksDB releases default to a newer
// format. A store could then no longer be opened with an older release.
constexpr std::uint32_t kTableFormat = 5;

// Measured for entities of about 1 KB on two cores:
//
//   no compression   scans are 1.5 to 1.8 times as fast as with LZ4, for 20 % more disk space
//   16 KiB blocks    an uncached read takes 5.4 us (with 32 KiB 7.0 us); read-ahead scans hardly differ
//   6 memtables      with three, writers at full speed sometimes stalled until a memtable was flushed
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
  // Compacts files in which half of 2,048 adjacent rows are deletions. Otherwise a scan would step over each deleted
  // row until other writes lead to a compaction, and the space of deleted rows would not be freed.
  options.table_properties_collector_factories.push_back(rocksdb::NewCompactOnDeletionCollectorFactory(2048, 1024));
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

// Disables the automatic recovery of RocksDB after a failed write. It waits until as much space is free as a
// memtable takes, polls every five seconds, and refuses DB::Resume() meanwhile. EmbeddedState::resume() calls it
// instead.
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
  options.max_total_wal_size = 64 << 20;  // otherwise one unflushed row of the catalog keeps the whole log
  options.wal_recovery_mode =
      rocksdb::WALRecoveryMode::kPointInTimeRecovery;  // check_whole() detects what this mode ignores
  options.avoid_flush_during_recovery = true;
  options.max_open_files = 256;  // leaves file descriptors of the process for connections
  options.info_log = std::make_shared<NullLogger>();
  options.listeners.push_back(std::make_shared<NoRecoveryByItself>());
  return options;
}

// The limits must be set: without a rate RocksDB does not use the thread, and it removes large trash at once.
std::shared_ptr<rocksdb::SstFileManager> background_removal(rocksdb::Env* env) {
  constexpr std::int64_t kBytesPerSecond = 4ll << 30;
  constexpr double kTrashPerData = 1e9;
  rocksdb::Status status;
  std::shared_ptr<rocksdb::SstFileManager> manager(
      rocksdb::NewSstFileManager(env, nullptr, "", kBytesPerSecond, true, &status, kTrashPerData));
  check(status);
  return manager;
}

// RocksDB says "While lock file: ..." if another process has the store, "lock hold by current process ..."
// if this one has. "while open a file for lock: ..." is a fault of the folder.
bool is_in_use(const rocksdb::Status& status) {
  const std::string what = status.ToString();
  return what.find("lock file: ") != std::string::npos || what.find("lock hold by") != std::string::npos;
}

StoreError in_use(const std::filesystem::path& folder) {
  return StoreError("the folder " + std::filesystem::absolute(folder).lexically_normal().string() +
                    " is in use by another rocktable");
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
