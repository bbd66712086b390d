// TableStore on RocksDB: the only file that includes it, so that no rocksdb::Status leaves it.
#include "storage/table_store.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include "odata/filter.h"
#include "odata/text.h"
#include "storage/catalog_codec.h"
#include "storage/clock.h"
#include "storage/entity_codec.h"
#include "storage/key_codec.h"
#include "storage/log_check.h"
#include "storage/rocksdb.h"
#include "storage/table_scan.h"

namespace rocktable {

void throw_exception_from_error(const WriteRefusal& refusal, const boost::source_location&) {
  throw ServiceException(refusal.error);
}

namespace {

// Figures: measured for entities of about 1 KB on two cores. Uncompressed blocks scan 1.5 to 1.8 times as
// fast as LZ4 for a fifth more disk. Blocks of 16 KiB: a read of one that is not in the cache takes 5.4 us, with 32 KiB
// 7.0, and a scan that reads ahead hardly notices. Six memtables: with three, writers at full speed stood still now and
// then until one was flushed.
rocksdb::ColumnFamilyOptions entities_options() {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 16 << 10;
  table.block_cache = rocksdb::NewLRUCache(128 << 20);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 5;

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
  rocksdb::ColumnFamilyOptions options;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = 4 << 20;
  return options;
}

// A thread of RocksDB's own removes files: that takes some 8 ms for each, and whoever deletes a large table would
// wait for them all. What it has not got round to is renamed already, and gone after the next start. The limits are
// there to be told: without a rate it would not use its thread, and large trash it would remove at once.
std::shared_ptr<rocksdb::SstFileManager> background_removal(rocksdb::Env* env) {
  constexpr std::int64_t kBytesPerSecond = 4ll << 30;
  constexpr double kTrashPerData = 1e9;
  rocksdb::Status status;
  std::shared_ptr<rocksdb::SstFileManager> manager(
      rocksdb::NewSstFileManager(env, nullptr, "", kBytesPerSecond, true, &status, kTrashPerData));
  check(status);
  return manager;
}

// RocksDB by itself would wait for as much room as a buffer takes, look every five seconds, and refuse to be told to go
// on meanwhile. Impl::write tells it.
class NoRecoveryByItself : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* recovers) override {
    *recovers = false;
  }
};

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

// Creates the folder of the store; a clear sentence where that cannot be.
void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw StoreError("cannot create the folder " + directory.string() + ": " + error.message());
}

// Whether it is the files that are at fault, and not the system or the user.
bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound();
}

DamagedStore damaged(const std::filesystem::path& directory, const std::string& what) {
  return DamagedStore("cannot open the store in " + directory.string() + ": it is damaged: " + what);
}

[[noreturn]] void throw_open_error(const std::filesystem::path& directory, const rocksdb::Status& status) {
  const std::string what = status.ToString();
  const std::string folder = directory.string();
  // "While lock file: ..." of another process, "lock hold by current process ..." of this one; not "while
  // open a file for lock: ...", a fault of the folder.
  if (what.find("lock file: ") != std::string::npos || what.find("lock hold by") != std::string::npos)
    throw StoreError("the folder " + folder + " is in use by another rocktable");
  if (is_damage(status)) throw damaged(directory, what);
  if (what.find("Column famil") != std::string::npos)
    throw StoreError("cannot open the store in " + folder + ": it was written by a newer rocktable");
  throw StoreError("cannot open the store in " + folder + ": " + what);
}

// Before RocksDB opens it, and deletes what it takes to be superfluous.
void check_whole(const StoreOptions& options) {
  const LogCheck logs = check_logs(options.directory);
  if (!logs.damage.empty()) throw damaged(options.directory, logs.damage);
  if (!logs.torn.empty() && options.warn) options.warn(logs.torn);
}

// A shared mutex whose exclusive side does not starve: glibc's lets the shared side in for as long as there
// is somebody, and a table that is written to all the time could not be deleted. Who waits for the exclusive
// side closes the turnstile behind those that are in.
class TableLock {
 public:
  void lock() {
    const std::lock_guard closed(turnstile_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

  void lock_shared() {
    turnstile_.lock();
    turnstile_.unlock();
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex turnstile_;
  std::shared_mutex mutex_;
};

// Rows of the catalog that were asked for: a look-up in RocksDB costs as much as the entity behind it. Whoever changes a
// row forgets it here before the change is acknowledged.
class TableRows {
 public:
  // `read` gives what the catalog holds; it runs while nobody can forget a row, so that nothing outdated is kept.
  std::optional<TableRow> find(const std::string& key,
                               const std::function<std::optional<TableRow>(const std::string&)>& read) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    auto row = read(key);
    if (!row) return row;
    if (rows_.size() >= kMaxRows) rows_.clear();
    rows_.emplace(key, *row);
    return row;
  }

  void forget(const std::string& key) {
    const std::unique_lock lock(mutex_);
    rows_.erase(key);
  }

 private:
  static constexpr std::size_t kMaxRows = 10'000;

  std::shared_mutex mutex_;
  std::unordered_map<std::string, TableRow> rows_;
};

}  // namespace

std::vector<rocksdb::ColumnFamilyDescriptor> column_families() {
  return {{rocksdb::kDefaultColumnFamilyName, catalog_options()},
          {"catalog", catalog_options()},
          {"entities", entities_options()}};
}

class TableStore::Impl {
 public:
  explicit Impl(const StoreOptions& options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> create_table(const TableName& name);
  Result<void> delete_table(const TableName& name);
  std::optional<TableRow> find_table(const TableName& name) const;
  std::optional<Table> list_tables(std::string_view account, std::string_view from, int page_size,
                                   const std::function<bool(const Table&)>& visit) const;
  Result<std::string> signed_identifiers(const TableName& name) const;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document);
  std::optional<std::string> read_document(std::string_view key) const;
  void put_document(std::string_view key, std::string_view document);
  Result<bool> get(const TableName& name, const EntityKey& key,
                   const std::function<void(const EntityView&)>& visit, RequestStats& stats) const;
  Result<std::optional<EntityKey>> scan(const TableName& name, const KeyRanges& ranges, int page_size,
                                        Deadline deadline,
                                        const std::function<bool(const EntityView&)>& visit,
                                        RequestStats& stats, const Filter* filter) const;
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                std::span<const Write> writes, RequestStats& stats);

 private:
  struct Previous;
  struct WantedRow;

  void open(const StoreOptions& options);
  void release_column_families();
  void check_format();
  std::optional<std::uint64_t> read_number(std::string_view key) const;
  void write(rocksdb::WriteBatch& batch, bool sync = false);
  bool resume();
  TableId allocate_table_id();
  std::optional<TableRow> read_table_row(const std::string& key) const;
  bool has_files(const rocksdb::Range& range) const;
  void leave_out_missing(std::vector<WantedRow>& wanted) const;
  std::vector<Previous> read_previous(std::span<const Write> writes,
                                      const std::vector<std::string>& keys) const;

  // Creating, deleting and writing: a commit holds a table's lock shared, so that no table vanishes under it.
  TableLock& table_lock(std::string_view table_key) const {
    return table_locks_[std::hash<std::string_view>()(table_key) % table_locks_.size()];
  }
  // Commits to one partition wait for each other: the unit of atomicity of the service. Readers take no lock.
  std::mutex& partition_lock(std::string_view partition) const {
    return partition_locks_[std::hash<std::string_view>()(partition) % partition_locks_.size()];
  }

  std::unique_ptr<rocksdb::Env> memory_env_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* catalog_ = nullptr;
  rocksdb::ColumnFamilyHandle* entities_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  rocksdb::WriteOptions write_options_;
  std::optional<Clock> clock_;
  std::mutex resume_mutex_;
  std::chrono::steady_clock::time_point resume_tried_;
  bool resumed_ = false;
  std::mutex table_id_mutex_;
  std::uint64_t next_table_id_ = 1;
  mutable TableRows table_rows_;
  mutable std::atomic<int> long_scans_ = 0;
  mutable std::array<TableLock, 64> table_locks_;
  mutable std::array<std::mutex, 1024> partition_locks_;
};

// --- Open and close ----------------------------------------------------------------------------------------

TableStore::Impl::Impl(const StoreOptions& options) {
  write_options_.sync = options.sync && !options.in_memory;
  write_options_.disableWAL = options.in_memory;  // there is nothing to recover
  open(options);
  try {
    check_format();
    next_table_id_ = read_number(kNextTableIdKey).value_or(1);
    const DateTime mark{static_cast<std::int64_t>(read_number(kClockKey).value_or(0))};
    clock_.emplace(mark, [this](DateTime high_water_mark) {
      put_document(kClockKey, encode_number(static_cast<std::uint64_t>(high_water_mark.ticks)));
    });
  } catch (const std::exception& error) {
    release_column_families();
    const auto* fault = dynamic_cast<const StoreFault*>(&error);
    if ((fault != nullptr && fault->is_damage()) || dynamic_cast<const CorruptRecord*>(&error) != nullptr)
      throw damaged(options.directory, error.what());
    throw StoreError("cannot open the store in " + options.directory.string() + ": " + error.what());
  }
}

void TableStore::Impl::open(const StoreOptions& options) {
  rocksdb::Env* env = rocksdb::Env::Default();
  std::filesystem::path directory = options.directory;
  if (options.in_memory) {
    memory_env_.reset(rocksdb::NewMemEnv(env));
    env = memory_env_.get();
    directory = "/memory";
  } else {
    make_directory(directory);
    check_whole(options);
  }
  rocksdb::DB* db = nullptr;
  rocksdb::DBOptions db_options = database_options(env);
  if (!options.in_memory) db_options.sst_file_manager = background_removal(env);
  const auto status = rocksdb::DB::Open(db_options, directory.string(), column_families(), &handles_, &db);
  if (!status.ok()) throw_open_error(directory, status);
  db_.reset(db);
  catalog_ = handles_[1];
  entities_ = handles_[2];
}

void TableStore::Impl::check_format() {
  const auto format = read_number(kFormatKey);
  if (!format) {
    put_document(kFormatKey, encode_number(kStoreFormat));
  } else if (*format > kStoreFormat) {
    throw StoreError("it was written by a newer rocktable (format " + std::to_string(*format) +
                     ", this one knows " + std::to_string(kStoreFormat) + ")");
  }
}

// RocksDB wants its handles back before it closes.
void TableStore::Impl::release_column_families() {
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
}

TableStore::Impl::~Impl() {
  // Close does not flush, and replaying a log of 30,000 rows costs the next start 170 ms. The one row in the log says
  // what must be in files: check_logs would miss it in a manifest that lost its end.
  if (memory_env_ == nullptr) {
    const std::string last = encode_number(static_cast<std::uint64_t>(clock_->last().ticks));
    db_->Put(write_options_, catalog_, slice(kClockKey), slice(last)).PermitUncheckedError();
    db_->Flush({}, {catalog_, entities_}).PermitUncheckedError();
    db_->Put(write_options_, catalog_, slice(kClockKey), slice(last)).PermitUncheckedError();
  }
  release_column_families();
  db_->Close().PermitUncheckedError();
}

std::optional<std::string> TableStore::Impl::read_document(std::string_view key) const {
  std::string bytes;
  const auto status = db_->Get({}, catalog_, slice(key), &bytes);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return bytes;
}

void TableStore::Impl::put_document(std::string_view key, std::string_view document) {
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog_, slice(key), slice(document)));
  write(batch);
}

std::optional<std::uint64_t> TableStore::Impl::read_number(std::string_view key) const {
  const auto bytes = read_document(key);
  return bytes ? std::optional(decode_number(*bytes)) : std::nullopt;
}

// The way of all writes to the disk. RocksDB refuses them all once one has failed for want of space or files. The next
// may find that it passed.
void TableStore::Impl::write(rocksdb::WriteBatch& batch, bool sync) {
  rocksdb::WriteOptions options = write_options_;
  options.sync |= sync;
  auto status = db_->Write(options, &batch);
  if (!status.ok() && resume()) status = db_->Write(options, &batch);
  check(status);
}

// At most once a second, for what is in memory has to be written to files before writes go on.
bool TableStore::Impl::resume() {
  const std::lock_guard lock(resume_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - resume_tried_ < std::chrono::seconds(1)) return resumed_;
  resumed_ = db_->Resume().ok();
  resume_tried_ = std::chrono::steady_clock::now();
  return resumed_;
}

// --- Tables ------------------------------------------------------------------------------------------------

std::optional<TableRow> TableStore::Impl::find_table(const TableName& name) const {
  return table_rows_.find(encode_table_key(name.account, name.table),
                          [this](const std::string& key) { return read_table_row(key); });
}

std::optional<TableRow> TableStore::Impl::read_table_row(const std::string& key) const {
  rocksdb::PinnableSlice row;
  const auto status = db_->Get({}, catalog_, slice(key), &row);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return decode_table_row(view(row));
}

// The caller writes the next id along with the table, under table_id_mutex_.
TableId TableStore::Impl::allocate_table_id() { return static_cast<TableId>(next_table_id_++); }

Result<void> TableStore::Impl::create_table(const TableName& name) {
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(table_lock(key));
  if (find_table(name)) return Error(ErrorCode::TableAlreadyExists);
  const std::lock_guard ids(table_id_mutex_);
  const TableRow row{allocate_table_id(), clock_->next(), std::string(name.table)};
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog_, slice(key), slice(encode_table_row(row))));
  check(batch.Put(catalog_, slice(kNextTableIdKey), slice(encode_number(next_table_id_))));
  write(batch);
  return {};
}

bool TableStore::Impl::has_files(const rocksdb::Range& range) const {
  std::uint64_t bytes = 0;
  check(db_->GetApproximateSizes(rocksdb::SizeApproximationOptions(), entities_, &range, 1, &bytes));
  return bytes > 0;
}

Result<void> TableStore::Impl::delete_table(const TableName& name) {
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(table_lock(key));
  const auto row = find_table(name);
  if (!row) return Error(ErrorCode::ResourceNotFound);

  const std::string begin = encode_table_prefix(row->id), end = encode_table_end(row->id);
  const rocksdb::Slice begin_slice = slice(begin), end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options, entities_));
  rows->Seek(begin_slice);
  const bool has_rows =
      rows->Valid() || !rows->status().ok();  // also a table that cannot be read can be deleted

  // The row of the catalog and the entities go in one batch: after a crash both are there, or neither is.
  // Each range tombstone costs later reads a little, so an empty table leaves none.
  rocksdb::WriteBatch batch;
  check(batch.Delete(catalog_, slice(key)));
  check(batch.Delete(catalog_, slice(encode_identifiers_key(row->id))));
  if (has_rows) check(batch.DeleteRange(entities_, begin_slice, end_slice));
  // Whole files of the table go at once; compaction takes what shares a file with others. Files stay gone
  // when the power fails, so the log that says why reaches the disk before: else the table would be back,
  // with holes.
  const bool drop_files = has_rows && has_files({begin_slice, end_slice});
  write(batch, drop_files && memory_env_ == nullptr);
  table_rows_.forget(key);
  // The table is gone already: files that cannot be dropped now are left to compaction.
  if (drop_files) {
    rocksdb::DeleteFilesInRange(db_.get(), entities_, &begin_slice, &end_slice, false).PermitUncheckedError();
  }
  return {};
}

std::optional<Table> TableStore::Impl::list_tables(std::string_view account, std::string_view from,
                                                   int page_size,
                                                   const std::function<bool(const Table&)>& visit) const {
  const std::string end = encode_account_end(account);
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options, catalog_));
  int kept = 0;
  for (rows->Seek(slice(encode_table_key(account, from))); rows->Valid(); rows->Next()) {
    TableRow row = decode_table_row(view(rows->value()));
    Table table{std::move(row.name), row.created};
    if (kept == page_size) return table;
    if (visit(table)) ++kept;
  }
  check(rows->status());
  return std::nullopt;
}

Result<std::string> TableStore::Impl::signed_identifiers(const TableName& name) const {
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  return read_document(encode_identifiers_key(table->id)).value_or("");
}

Result<void> TableStore::Impl::set_signed_identifiers(const TableName& name, std::string_view document) {
  const std::shared_lock lock(table_lock(encode_table_key(name.account, name.table)));
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  put_document(encode_identifiers_key(table->id), document);
  return {};
}

// --- Entities: reading -------------------------------------------------------------------------------------

namespace {

// Adds the time of its life.
class StopWatch {
 public:
  explicit StopWatch(std::chrono::nanoseconds& total) : total_(total) {}
  ~StopWatch() { total_ += std::chrono::steady_clock::now() - start_; }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  std::chrono::nanoseconds& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<bool> TableStore::Impl::get(const TableName& name, const EntityKey& key,
                                   const std::function<void(const EntityView&)>& visit,
                                   RequestStats& stats) const {
  const StopWatch watch(stats.storage_time);
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  const std::string encoded = encode_entity_key(table->id, key.partition_key, key.row_key);
  rocksdb::PinnableSlice record;
  ++stats.ranges;
  const auto status = db_->Get({}, entities_, slice(encoded), &record);
  if (status.IsNotFound()) return false;
  check(status);
  ++stats.entities_scanned;
  ++stats.entities_returned;
  stats.bytes_read += encoded.size() + record.size();
  std::vector<PropertyView> properties;
  const DateTime timestamp = decode_entity(view(record), properties);
  visit({key.partition_key, key.row_key, timestamp, properties});
  return true;
}

Result<std::optional<EntityKey>> TableStore::Impl::scan(const TableName& name, const KeyRanges& ranges,
                                                        int page_size, Deadline deadline,
                                                        const std::function<bool(const EntityView&)>& visit,
                                                        RequestStats& stats, const Filter* filter) const {
  const StopWatch watch(stats.storage_time);
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  const std::function<bool()> is_there = [&] {
    const auto now = find_table(name);
    return now && now->id == table->id;
  };
  return scan_table({*db_, entities_, long_scans_},
                    {table->id, ranges, page_size, deadline, visit, filter, is_there, stats});
}

// --- Entities: writing -------------------------------------------------------------------------------------

// An entity as it was before a transaction: pinned bytes and views into them.
struct TableStore::Impl::Previous {
  rocksdb::PinnableSlice record;
  std::vector<PropertyView> properties;
  bool exists = false;
  DateTime timestamp;
};

struct TableStore::Impl::WantedRow {
  rocksdb::Slice key;
  std::size_t position;  // of its write
};

// Takes the keys, ascending, off the front that are not stored. Rows that a transaction inserts mostly stand side by side
// where none is yet: one step of an iterator tells so for the price of one or two look-ups.
void TableStore::Impl::leave_out_missing(std::vector<WantedRow>& wanted) const {
  constexpr std::size_t kWorthAnIterator = 8;
  if (wanted.size() < kWorthAnIterator) return;
  const std::string end = std::string(view(wanted.back().key)) + '\0';
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options, entities_));
  rows->Seek(wanted.front().key);
  check(rows->status());
  const auto first = rows->Valid() ? std::lower_bound(wanted.begin(), wanted.end(), rows->key(),
                                                      [](const WantedRow& row, const rocksdb::Slice& key) {
                                                        return row.key.compare(key) < 0;
                                                      })
                                   : wanted.end();
  wanted.erase(wanted.begin(), first);
}

std::vector<TableStore::Impl::Previous> TableStore::Impl::read_previous(
    std::span<const Write> writes, const std::vector<std::string>& keys) const {
  std::vector<Previous> previous(writes.size());
  std::vector<WantedRow> wanted;
  wanted.reserve(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (needs_previous(writes[i])) wanted.push_back({slice(keys[i]), i});
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const WantedRow& a, const WantedRow& b) { return a.key.compare(b.key) < 0; });
  leave_out_missing(wanted);

  std::vector<rocksdb::Slice> slices;
  slices.reserve(wanted.size());
  for (const auto& row : wanted) slices.push_back(row.key);
  std::vector<rocksdb::PinnableSlice> records(wanted.size());
  std::vector<rocksdb::Status> statuses(wanted.size());
  if (wanted.size() == 1) {
    statuses[0] = db_->Get({}, entities_, slices[0], &records[0]);
  } else if (!wanted.empty()) {
    constexpr bool kSorted = true;
    db_->MultiGet({}, entities_, wanted.size(), slices.data(), records.data(), statuses.data(), kSorted);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (statuses[i].IsNotFound()) continue;
    check(statuses[i]);
    Previous& found = previous[wanted[i].position];
    found.record = std::move(records[i]);
    found.timestamp = decode_entity(view(found.record), found.properties);
    found.exists = true;
  }
  return previous;
}

CommitResult<DateTime> TableStore::Impl::commit(const TableName& name, std::string_view partition_key,
                                                std::span<const Write> writes, RequestStats& stats) {
  const StopWatch watch(stats.storage_time);
  const std::shared_lock table_guard(table_lock(encode_table_key(name.account, name.table)));
  const auto table = find_table(name);
  if (!table) return WriteRefusal{0, ErrorCode::TableNotFound};
  const std::lock_guard partition_guard(partition_lock(encode_entity_key(table->id, partition_key, "")));

  std::vector<std::string> keys;
  keys.reserve(writes.size());
  for (const auto& write : writes) keys.push_back(encode_entity_key(table->id, partition_key, write.row_key));
  const std::vector<Previous> previous = read_previous(writes, keys);

  const DateTime timestamp = clock_->next();
  rocksdb::WriteBatch batch;
  std::string record;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    std::optional<EntityView> before;
    if (previous[i].exists)
      before = EntityView{partition_key, writes[i].row_key, previous[i].timestamp, previous[i].properties};
    const auto after = apply(writes[i], partition_key, before);
    if (!after) return WriteRefusal{i, after.error()};
    if (*after) {
      record.clear();
      encode_entity(record, timestamp, **after);
      check(batch.Put(entities_, slice(keys[i]), slice(record)));
    } else {
      check(batch.Delete(entities_, slice(keys[i])));
    }
  }
  write(batch);
  return timestamp;
}

// --- The interface -----------------------------------------------------------------------------------------

TableStore::TableStore(const StoreOptions& options) : impl_(std::make_unique<Impl>(options)) {}
TableStore::~TableStore() = default;

Result<void> TableStore::create_table(const TableName& name) { return impl_->create_table(name); }

Result<void> TableStore::delete_table(const TableName& name) { return impl_->delete_table(name); }

std::optional<Table> TableStore::get_table(const TableName& name) const {
  auto row = impl_->find_table(name);
  if (!row) return std::nullopt;
  return Table{std::move(row->name), row->created};
}

std::optional<Table> TableStore::list_tables(std::string_view account, std::string_view from, int page_size,
                                             const std::function<bool(const Table&)>& visit) const {
  return impl_->list_tables(account, from, page_size, visit);
}

Result<std::string> TableStore::signed_identifiers(const TableName& name) const {
  return impl_->signed_identifiers(name);
}

Result<void> TableStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  return impl_->set_signed_identifiers(name, document);
}

std::optional<std::string> TableStore::service_properties(std::string_view account) const {
  return impl_->read_document(encode_properties_key(account));
}

void TableStore::set_service_properties(std::string_view account, std::string_view document) {
  impl_->put_document(encode_properties_key(account), document);
}

Result<bool> TableStore::get(const TableName& name, const EntityKey& key,
                             const std::function<void(const EntityView&)>& visit, RequestStats* stats) const {
  RequestStats unwanted;
  return impl_->get(name, key, visit, stats != nullptr ? *stats : unwanted);
}

Result<std::optional<EntityKey>> TableStore::scan(const TableName& name, const KeyRanges& ranges,
                                                  int page_size, Deadline deadline,
                                                  const std::function<bool(const EntityView&)>& visit,
                                                  RequestStats* stats, const Filter* filter) const {
  RequestStats unwanted;
  return impl_->scan(name, ranges, page_size, deadline, visit, stats != nullptr ? *stats : unwanted, filter);
}

CommitResult<DateTime> TableStore::commit(const TableName& name, std::string_view partition_key,
                                          std::span<const Write> writes, RequestStats* stats) {
  RequestStats unwanted;
  return impl_->commit(name, partition_key, writes, stats != nullptr ? *stats : unwanted);
}

}  // namespace rocktable
