// RocksStore: opens and closes the store; tables; reads and writes of entities. No
// rocksdb::Status leaves this file.
#include "storage/rocksdb/rocks_store.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <system_error>

#include "odata/filter.h"
#include "odata/text.h"
#include "storage/folder_swap.h"
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/catalog_rows.h"
#include "storage/rocksdb/format/log_check.h"
#include "storage/rocksdb/rocksdb.h"
#include "storage/rocksdb/store_environment.h"
#include "storage/rocksdb/table_scan.h"

namespace rocktable {

namespace {

// Returns the folder of the store without links, and creates it if it is absent. Throws StoreError if that
// fails.
std::string make_home(const StoreOptions& options) {
  namespace fs = std::filesystem;
  if (options.in_memory) return "/memory";
  const fs::path& named = options.directory;
  try {
    const fs::path home = real_path(named);
    std::error_code error;
    finish_interrupted_swap(home, error);
    if (!error && fs::is_symlink(named) && !fs::exists(home))
      throw StoreError("the folder " + named.string() + " is a link to " + home.string() +
                       ", which does not exist: create that folder, or remove the link");
    if (!error) fs::create_directories(home, error);
    if (error) throw fs::filesystem_error("", home, error);
    return home.string();
  } catch (const fs::filesystem_error& error) {
    throw StoreError("cannot create the folder " + named.string() + ": " + error.code().message());
  }
}

// Returns the absolute path of the link that names the store, or an empty string if the user names the folder
// itself.
std::string link_to(const std::string& home, const StoreOptions& options) {
  if (options.in_memory) return "";
  const std::filesystem::path named = std::filesystem::absolute(options.directory);
  const std::string link =
      (std::filesystem::weakly_canonical(named.parent_path()) / named.filename()).string();
  return link == home ? "" : link;
}

// Returns whether the files are at fault, and not the system or the user.
bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound();
}

DamagedStore damaged(const std::filesystem::path& directory, const std::string& what) {
  return DamagedStore("cannot open the store in " + directory.string() + ": it is damaged: " + what);
}

[[noreturn]] void throw_open_error(const std::filesystem::path& directory, const rocksdb::Status& status) {
  const std::string what = status.ToString();
  const std::string folder = directory.string();
  if (is_in_use(status)) throw in_use(directory);
  if (is_damage(status)) throw damaged(directory, what);
  if (what.find("Column famil") != std::string::npos)
    throw StoreError("cannot open the store in " + folder + ": it was written by a newer rocktable");
  throw StoreError("cannot open the store in " + folder + ": " + what);
}

// Checks the logs before RocksDB opens the store, because RocksDB deletes files that it considers obsolete.
// `warns`: whether to warn of a torn end, which is not damage.
void check_whole(const StoreOptions& options, bool warns) {
  const LogCheck logs = check_logs(options.directory);
  if (!logs.damage.empty()) throw damaged(options.directory, logs.damage);
  if (warns && !logs.torn.empty() && options.warn) options.warn(logs.torn);
}

}  // namespace

// --- Open and close ----------------------------------------------------------------------------------------

RocksStore::RocksStore(const StoreOptions& options)
    : options_(options),
      memory_env_(options.in_memory ? rocksdb::NewMemEnv(rocksdb::Env::Default()) : nullptr),
      env_(options.in_memory                ? memory_env_.get()
           : options.environment != nullptr ? &options.environment->env
                                            : rocksdb::Env::Default()),
      home_(make_home(options)),
      link_home_(link_to(home_, options)),
      directory_(home_),
      recovery_({kReopenInterval, options.reopen_timeout, [this] { recover(); },
                 [this](const std::string& reason) {
                   if (options_.give_up) options_.give_up(reason);
                 }}) {
  write_options_.sync = options.sync && !options.in_memory;
  write_options_.disableWAL = options.in_memory;  // a store in memory is never recovered
  database_ = open_home(true);
  try {
    check_format();
    remove_leftovers();
    keep_folders_out_of_git();
    read_counters();
    read_contents_id();
    sweep_reserved_tables();
  } catch (const std::exception& error) {
    const auto* fault = dynamic_cast<const StoreFault*>(&error);
    if ((fault != nullptr && fault->is_damage()) || dynamic_cast<const CorruptRecord*>(&error) != nullptr)
      throw damaged(options.directory, error.what());
    throw StoreError("cannot open the store in " + options.directory.string() + ": " + error.what());
  }
}

std::unique_ptr<Database> RocksStore::open_home(bool create) const {
  if (!options_.in_memory) check_whole(options_, create);
  try {
    return open(directory_, create);
  } catch (const StoreFault& fault) {
    throw_open_error(options_.in_memory ? std::filesystem::path(directory_) : options_.directory,
                     fault.status());
  }
}

std::unique_ptr<Database> RocksStore::open(const std::string& directory, bool create) const {
  rocksdb::DBOptions options = database_options(env_);
  options.create_if_missing = create;
  options.create_missing_column_families = create;
  // Without a log, the files of both column families must show the same moment in a snapshot.
  options.atomic_flush = options_.in_memory;
  if (!options_.in_memory) options.sst_file_manager = background_removal(env_);
  return std::make_unique<Database>(options, directory);
}

void RocksStore::warn(const std::string& sentence) const {
  if (options_.warn) options_.warn(sentence);
}

void RocksStore::read_counters() {
  next_table_id_ = read_number(*database_, kNextTableIdKey).value_or(1);
  const DateTime mark{static_cast<std::int64_t>(read_number(*database_, kClockKey).value_or(0))};
  clock_.emplace(
      mark,
      [this](DateTime high_water_mark) {
        put_document(kClockKey, encode_number(static_cast<std::uint64_t>(high_water_mark.ticks)));
      },
      options_.time);
}

void RocksStore::check_format() {
  const auto format = read_number(*database_, kFormatKey);
  if (!format) {
    put_document(kFormatKey, encode_number(kStoreFormat));
  } else if (*format > kStoreFormat) {
    throw StoreError("it was written by a newer rocktable (format " + std::to_string(*format) +
                     "; this version reads up to " + std::to_string(kStoreFormat) + ")");
  }
}

RocksStore::~RocksStore() {
  recovery_.stop();
  if (database_ == nullptr) {
    try {
      move_former_store_back();
    } catch (const std::exception& fault) {
      warn("a restore failed; the former store is in " + staging_folder() + ": " + fault.what());
    }
    return;
  }
  // DB::Close() does not flush, and replaying a log of 30,000 rows takes the next start 170 ms. The second
  // Put() leaves one row in the log. Its sequence number shows check_logs() what the files must hold, so that
  // it detects a manifest that lost its end.
  if (!options_.in_memory && clock_) {
    const std::string last = encode_number(static_cast<std::uint64_t>(clock_->last().ticks));
    db().Put(write_options_, catalog(), slice(kClockKey), slice(last)).PermitUncheckedError();
    db().Flush({}, {catalog(), entities()}).PermitUncheckedError();
    db().Put(write_options_, catalog(), slice(kClockKey), slice(last)).PermitUncheckedError();
  }
}

std::optional<std::string> RocksStore::read_document(std::string_view key) const {
  std::string bytes;
  const auto status = db().Get({}, catalog(), slice(key), &bytes);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return bytes;
}

void RocksStore::put_document(std::string_view key, std::string_view document) {
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog(), slice(key), slice(document)));
  write(batch);
}

// All writes to the disk use this. After a write has failed for lack of space or file descriptors, RocksDB
// refuses all further writes. The next write therefore calls resume() and tries again.
void RocksStore::write(rocksdb::WriteBatch& batch, bool sync) {
  rocksdb::WriteOptions options = write_options_;
  options.sync |= sync;
  write(batch, options);
}

void RocksStore::write_unsynced(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options = write_options_;
  options.sync = false;
  write(batch, options);
}

void RocksStore::write(rocksdb::WriteBatch& batch, const rocksdb::WriteOptions& options) {
  auto status = db().Write(options, &batch);
  if (!status.ok() && resume()) status = db().Write(options, &batch);
  check(status);
}

// Tries at most once a second, because DB::Resume() flushes memtables before writes continue.
bool RocksStore::resume() {
  const std::lock_guard lock(resume_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - resume_tried_ < std::chrono::seconds(1)) return resumed_;
  resumed_ = db().Resume().ok();
  resume_tried_ = std::chrono::steady_clock::now();
  return resumed_;
}

// --- Tables ------------------------------------------------------------------------------------------------

std::optional<TableRow> RocksStore::find_table(const TableName& name) const {
  return catalog_cache_.find(encode_table_key(name.account, name.table),
                             [this](const std::string& key) { return read_table_row(key); });
}

std::optional<TableRow> RocksStore::read_table_row(const std::string& key) const {
  rocksdb::PinnableSlice row;
  const auto status = db().Get({}, catalog(), slice(key), &row);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return decode_table_row(view(row));
}

Result<void> RocksStore::create_table(const TableName& name) {
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(table_lock(key));
  if (find_table(name)) return Error(ErrorCode::TableAlreadyExists);
  const std::lock_guard ids(table_id_mutex_);
  const TableRow row{TableId{next_table_id_++}, clock_->next(), std::string(name.table)};
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog(), slice(key), slice(encode_table_row(row))));
  check(batch.Put(catalog(), slice(kNextTableIdKey), slice(encode_number(next_table_id_))));
  write(batch);
  return {};
}

Result<void> RocksStore::delete_table(const TableName& name) {
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(table_lock(key));
  const auto row = find_table(name);
  if (!row) return Error(ErrorCode::ResourceNotFound);
  Erasure erasure(*this);
  check(erasure.batch().Delete(catalog(), slice(key)));
  check(erasure.batch().Delete(catalog(), slice(encode_identifiers_key(row->id))));
  erasure.erase_tables({row->id});
  const CatalogCache::Change change(catalog_cache_, {&key, 1});
  erasure.write();
  return {};
}

RocksStore::TableLocks::TableLocks(const RocksStore& store, const std::vector<std::string>& keys)
    : store_(store) {
  for (const auto& key : keys) indexes_.insert(lock_index(key));
  for (const auto place : indexes_) store_.table_locks_[place].lock();
}

RocksStore::TableLocks::~TableLocks() {
  for (const auto place : indexes_) store_.table_locks_[place].unlock();
}

void RocksStore::for_each_table(std::string_view account, const KeyRanges& names,
                                const rocksdb::Snapshot* snapshot,
                                const std::function<bool(std::string_view key, TableRow row)>& visit) const {
  const std::string account_end = encode_account_end(account);
  const rocksdb::Slice end_slice = slice(account_end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  options.snapshot = snapshot;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator(options, catalog()));
  for (const KeyRange& range : names) {
    const std::string begin = encode_table_key(account, range.begin.partition_key);
    const std::string end = range.end ? encode_table_key(account, range.end->partition_key) : account_end;
    for (rows->Seek(slice(begin)); rows->Valid() && view(rows->key()) < end; rows->Next())
      if (!visit(view(rows->key()), decode_table_row(view(rows->value())))) return;
    check(rows->status());
  }
}

bool RocksStore::has_tables(std::string_view account) const {
  bool out = false;
  for_each_table(account, all_keys(), nullptr, [&](std::string_view, const TableRow&) {
    out = true;
    return false;
  });
  return out;
}

std::optional<Table> RocksStore::list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                             const std::function<bool(const Table&)>& visit) const {
  int kept = 0;
  std::optional<Table> next;
  for_each_table(account, names, nullptr, [&](std::string_view, TableRow row) {
    Table table{std::move(row.name), row.created};
    if (kept == page_size) {
      next = std::move(table);
      return false;
    }
    if (visit(table)) ++kept;
    return true;
  });
  return next;
}

Result<std::string> RocksStore::signed_identifiers(const TableName& name) const {
  // If the table is emptied concurrently, its document moves to the new id. Then look again.
  for (std::optional<TableRow> before;;) {
    const auto table = find_table(name);
    if (!table) return Error(ErrorCode::TableNotFound);
    if (auto document = read_document(encode_identifiers_key(table->id))) return std::move(*document);
    if (before && before->id == table->id) return std::string();
    before = table;
  }
}

Result<void> RocksStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  const std::shared_lock lock(table_lock(encode_table_key(name.account, name.table)));
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  put_document(encode_identifiers_key(table->id), document);
  return {};
}

// --- Entities: reading -------------------------------------------------------------------------------------

namespace {

// Adds its lifetime to `total`.
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

Result<bool> RocksStore::get(const TableName& name, const EntityKey& key,
                             const std::function<void(const EntityView&)>& visit, RequestStats& stats) const {
  const StopWatch watch(stats.storage_time);
  disable_perf_counters();
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  const std::string encoded = encode_entity_key(table->id, key.partition_key, key.row_key);
  rocksdb::PinnableSlice record;
  ++stats.ranges;
  const auto status = db().Get({}, entities(), slice(encoded), &record);
  if (status.IsNotFound()) {
    if (!find_table(name)) return Error(ErrorCode::TableNotFound);  // the table was deleted meanwhile
    return false;
  }
  check(status);
  ++stats.entities_scanned;
  ++stats.entities_returned;
  stats.bytes_read += encoded.size() + record.size();
  thread_local std::vector<PropertyView> properties;  // keeps its memory
  const DateTime timestamp = decode_entity(view(record), properties);
  visit({key.partition_key, key.row_key, timestamp, properties});
  return true;
}

Result<std::optional<EntityKey>> RocksStore::scan(const ScanCall& call, RequestStats& stats) const {
  const StopWatch watch(stats.storage_time);
  const auto table = find_table(call.table);
  if (!table) return Error(ErrorCode::TableNotFound);
  const auto scanned_before = stats.entities_scanned;
  const std::function<bool()> table_exists = [&] {
    const auto now = find_table(call.table);
    return now && now->id == table->id;
  };
  auto resume = scan_table({db(), entities(), long_scans_, gate_}, {call, table->id, table_exists, stats});
  // If the table was deleted meanwhile, rows may be missing from a scan that found nothing.
  const bool found_nothing = resume && !*resume && stats.entities_scanned == scanned_before;
  if ((!resume || found_nothing) && !find_table(call.table)) return Error(ErrorCode::TableNotFound);
  return resume;
}

// --- Entities: writing -------------------------------------------------------------------------------------

// An entity before a transaction: pinned bytes and views into them.
struct RocksStore::Previous {
  rocksdb::PinnableSlice record;
  std::vector<PropertyView> properties;
  bool exists = false;
  DateTime timestamp;
};

struct RocksStore::WantedRow {
  rocksdb::Slice key;
  std::size_t position;  // index of its write
};

// Removes leading keys of `wanted` (ascending) that are not stored. Rows that a transaction inserts are often
// adjacent in a gap between stored rows. One step of an iterator detects this for the price of one or two
// look-ups.
void RocksStore::drop_missing(std::vector<WantedRow>& wanted) const {
  constexpr std::size_t kWorthAnIterator = 8;
  if (wanted.size() < kWorthAnIterator) return;
  const std::string end = std::string(view(wanted.back().key)) + '\0';
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator(options, entities()));
  rows->Seek(wanted.front().key);
  check(rows->status());
  const auto first = rows->Valid() ? std::lower_bound(wanted.begin(), wanted.end(), rows->key(),
                                                      [](const WantedRow& row, const rocksdb::Slice& key) {
                                                        return row.key.compare(key) < 0;
                                                      })
                                   : wanted.end();
  wanted.erase(wanted.begin(), first);
}

std::vector<RocksStore::Previous> RocksStore::read_previous(std::span<const Mutation> writes,
                                                            const std::vector<std::string>& keys) const {
  std::vector<Previous> previous(writes.size());
  std::vector<WantedRow> wanted;
  wanted.reserve(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (needs_previous(writes[i])) wanted.push_back({slice(keys[i]), i});
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const WantedRow& a, const WantedRow& b) { return a.key.compare(b.key) < 0; });
  drop_missing(wanted);

  std::vector<rocksdb::Slice> slices;
  slices.reserve(wanted.size());
  for (const auto& row : wanted) slices.push_back(row.key);
  std::vector<rocksdb::PinnableSlice> records(wanted.size());
  std::vector<rocksdb::Status> statuses(wanted.size());
  if (wanted.size() == 1) {
    statuses[0] = db().Get({}, entities(), slices[0], &records[0]);
  } else if (!wanted.empty()) {
    constexpr bool kSorted = true;
    db().MultiGet({}, entities(), wanted.size(), slices.data(), records.data(), statuses.data(), kSorted);
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

CommitResult<DateTime> RocksStore::commit(const TableName& name, std::string_view partition_key,
                                          std::span<const Mutation> writes, RequestStats& stats) {
  const StopWatch watch(stats.storage_time);
  disable_perf_counters();
  const std::shared_lock table_guard(table_lock(encode_table_key(name.account, name.table)));
  const auto table = find_table(name);
  if (!table) return WriteRefusal{0, ErrorCode::TableNotFound};
  const std::lock_guard partition_guard(partition_lock(encode_entity_key(table->id, partition_key, "")));

  std::vector<std::string> keys;
  keys.reserve(writes.size());
  for (const auto& write : writes) keys.push_back(encode_entity_key(table->id, partition_key, write.row_key));
  const std::vector<Previous> previous = read_previous(writes, keys);

  const DateTime timestamp = clock_->next();
  constexpr std::size_t kOverhead = 16;  // of a row in the batch, without its bytes
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < writes.size(); ++i)
    bytes += keys[i].size() + kRecordHeaderBytes + writes[i].properties.bytes().size() + kOverhead;
  rocksdb::WriteBatch batch(bytes);
  const auto header = encode_record_header(timestamp);
  EncodedProperties scratch;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    std::optional<EntityView> before;
    if (previous[i].exists)
      before = EntityView{partition_key, writes[i].row_key, previous[i].timestamp, previous[i].properties};
    const auto after = apply(writes[i], partition_key, before, scratch);
    if (!after) return WriteRefusal{i, after.error()};
    if (const EncodedProperties* const properties = *after) {
      const rocksdb::Slice key = slice(keys[i]);
      const rocksdb::Slice record[] = {{header.data(), header.size()}, slice(properties->bytes())};
      check(batch.Put(entities(), {&key, 1}, {record, std::size(record)}));
    } else {
      check(batch.Delete(entities(), slice(keys[i])));
    }
  }
  write(batch);
  return timestamp;
}

}  // namespace rocktable
