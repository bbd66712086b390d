// EmbeddedState: opens and closes the store; tables; reads and writes of entities. No
// rocksdb::Status leaves this file.
#include "storage/rocksdb/embedded_state.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <system_error>

#include "base/folder_swap.h"
#include "base/text.h"
#include "odata/filter.h"
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/database/catalog_rows.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/database/store_environment.h"
#include "storage/rocksdb/format/log_check.h"
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
  const std::string link = (std::filesystem::weakly_canonical(named.parent_path()) / named.filename()).string();
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

EmbeddedState::EmbeddedState(const StoreOptions& options)
    : options_(options),
      memory_env_(options.in_memory ? rocksdb::NewMemEnv(rocksdb::Env::Default()) : nullptr),
      env_(options.in_memory                ? memory_env_.get()
           : options.environment != nullptr ? &options.environment->env
                                            : rocksdb::Env::Default()),
      home_(make_home(options)),
      link_home_(link_to(home_, options)),
      directory_(home_),
      staging_(home_ + ".restore"),
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

std::unique_ptr<Database> EmbeddedState::open_home(bool create) const {
  if (!options_.in_memory) check_whole(options_, create);
  try {
    return open(directory_, create);
  } catch (const StoreFault& fault) {
    throw_open_error(options_.in_memory ? std::filesystem::path(directory_) : options_.directory, fault.status());
  }
}

std::unique_ptr<Database> EmbeddedState::open(const std::string& directory, bool create) const {
  rocksdb::DBOptions options = database_options(env_);
  options.create_if_missing = create;
  options.create_missing_column_families = create;
  // Without a log, the files of both column families must show the same moment in a snapshot.
  options.atomic_flush = options_.in_memory;
  if (!options_.in_memory) options.sst_file_manager = background_removal(env_);
  return std::make_unique<Database>(options, directory);
}

void EmbeddedState::warn(const std::string& sentence) const {
  if (options_.warn) options_.warn(sentence);
}

void EmbeddedState::read_counters() {
  next_table_id_ = read_number(*database_, kNextTableIdKey).value_or(1);
  const DateTime mark{static_cast<std::int64_t>(read_number(*database_, kClockKey).value_or(0))};
  clock_.emplace(
      mark,
      [this](DateTime high_water_mark) {
        put_document(kClockKey, encode_number(static_cast<std::uint64_t>(high_water_mark.ticks)));
      },
      options_.time);
}

void EmbeddedState::check_format() {
  const auto format = read_number(*database_, kFormatKey);
  if (!format) {
    put_document(kFormatKey, encode_number(kStoreFormat));
  } else if (*format > kStoreFormat) {
    throw StoreError("it was written by a newer rocktable (format " + std::to_string(*format) +
                     "; this version reads up to " + std::to_string(kStoreFormat) + ")");
  }
}

EmbeddedState::~EmbeddedState() {
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

std::optional<std::string> EmbeddedState::read_document(std::string_view key) const {
  std::string bytes;
  const auto status = db().Get({}, catalog(), slice(key), &bytes);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return bytes;
}

void EmbeddedState::put_document(std::string_view key, std::string_view document) {
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog(), slice(key), slice(document)));
  write(batch);
}

// All writes to the disk use this. After a write has failed for lack of space or file descriptors, RocksDB
// refuses all further writes. The next write therefore calls resume() and tries again.
void EmbeddedState::write(rocksdb::WriteBatch& batch, bool sync) {
  rocksdb::WriteOptions options = write_options_;
  options.sync |= sync;
  write(batch, options);
}

void EmbeddedState::write_unsynced(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options = write_options_;
  options.sync = false;
  write(batch, options);
}

void EmbeddedState::write(rocksdb::WriteBatch& batch, const rocksdb::WriteOptions& options) {
  auto status = db().Write(options, &batch);
  if (!status.ok() && resume()) status = db().Write(options, &batch);
  check(status);
}

// Tries at most once a second, because DB::Resume() flushes memtables before writes continue.
bool EmbeddedState::resume() {
  const std::lock_guard lock(resume_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - resume_tried_ < std::chrono::seconds(1)) return resumed_;
  resumed_ = db().Resume().ok();
  resume_tried_ = std::chrono::steady_clock::now();
  return resumed_;
}

// --- Tables ------------------------------------------------------------------------------------------------

std::optional<TableRow> EmbeddedState::find_table(const TableName& name) const {
  return catalog_cache_.find(encode_table_key(name.account, name.table),
                             [this](const std::string& key) { return read_table_row(key); });
}

std::optional<TableRow> EmbeddedState::read_table_row(const std::string& key) const {
  rocksdb::PinnableSlice row;
  const auto status = db().Get({}, catalog(), slice(key), &row);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return decode_table_row(view(row));
}

EmbeddedState::TableLocks::TableLocks(const EmbeddedState& store, const std::vector<std::string>& keys)
    : store_(store) {
  for (const auto& key : keys) indexes_.insert(lock_index(key));
  for (const auto place : indexes_) store_.table_locks_[place].lock();
}

EmbeddedState::TableLocks::~TableLocks() {
  for (const auto place : indexes_) store_.table_locks_[place].unlock();
}

void EmbeddedState::for_each_table(std::string_view account, const KeyRanges& names, const rocksdb::Snapshot* snapshot,
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

bool EmbeddedState::has_tables(std::string_view account) const {
  bool out = false;
  for_each_table(account, all_keys(), nullptr, [&](std::string_view, const TableRow&) {
    out = true;
    return false;
  });
  return out;
}

}  // namespace rocktable
