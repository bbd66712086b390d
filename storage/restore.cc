// Restores a snapshot: copies it beside the store, verifies and opens the copy, and exchanges it with the store.
//
//   STORE.restore/  the copy of a snapshot before the exchange, the former store after it; removed at the next start
//
// On the disk no database is open during the exchange, because RocksDB opens files by path. If neither the new nor the
// former store can be opened afterwards (disk full, too few descriptors), the store is not available until recovery_ has
// opened the former one. In memory the new database stays where it was made, and this cannot happen.
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <mutex>

#include "storage/crc32c.h"
#include "storage/entity_codec.h"
#include "storage/env_files.h"
#include "storage/folders.h"
#include "storage/log_check.h"
#include "storage/rocksdb.h"
#include "storage/snapshot_description.h"
#include "storage/table_store_impl.h"

namespace rocktable {
namespace {

std::uint64_t number_in(const Database& database, std::string_view key, std::uint64_t otherwise) {
  std::string bytes;
  const auto status = database.db().Get({}, database.catalog(), slice(key), &bytes);
  if (status.IsNotFound()) return otherwise;
  check(status);
  return decode_number(bytes);
}

void require_known_format(const Database& database) {
  if (number_in(database, kFormatKey, kStoreFormat) > kStoreFormat)
    throw std::runtime_error("the snapshot was written by a newer rocktable");
}

std::string name_of(const std::string& folder) { return folder.substr(folder.rfind('/') + 1); }

DamagedSnapshot damaged(const std::string& folder, const std::string& what) {
  return DamagedSnapshot("the snapshot " + name_of(folder) +
                         " is damaged, and the store stays as it is: " + what);
}

// Replaces the copy's folder in a message by the snapshot's.
std::string with_folder(std::string text, const std::string& copy, const std::string& folder) {
  for (auto at = text.find(copy); at != text.npos; at = text.find(copy, at + folder.size()))
    text.replace(at, copy.size(), folder);
  return text;
}

// Returns the first damaged table file, or an empty string. RocksDB does not always name it, and sometimes names the
// manifest instead.
std::string damaged_table(rocksdb::Env* env, const std::string& folder) {
  rocksdb::Options options;
  options.env = env;
  for (const auto& name : names_in(env, folder)) {
    rocksdb::SstFileReader reader(options);
    if (is_table_file(name) && (!reader.Open(path_in(folder, name)).ok() || !reader.VerifyChecksum().ok()))
      return path_in(folder, name);
  }
  return "";
}

// Whether the snapshot's files are to blame, not the disk that they are copied to.
bool is_fault_of_files(const rocksdb::Status& status) {
  return !status.IsIOError() || status.IsPathNotFound();
}

}  // namespace

std::string TableStore::Impl::staging_folder() const {
  return directory_ == home_ ? home_ + ".restore" : home_;
}

void TableStore::Impl::require_database() const {
  if (database_ == nullptr)
    throw ServiceException(
        Error(ErrorCode::ServerBusy, "the store is not available: " + unavailable().value_or("")));
}

// Copies a snapshot's database, and compares files with the snapshot's list. Table files are never changed, so a hard
// link is as good as a copy.
void TableStore::Impl::copy_snapshot(const std::string& folder, const std::string& to) const {
  const auto description = describe_snapshot(folder);
  if (!description) throw damaged(folder, path_in(folder, kSnapshotDescription) + " cannot be read");
  const bool is_listed = !description->files.empty();
  check(env_->CreateDir(to));
  if (!options_.in_memory) keep_out_of_git(to);
  for (const SnapshotFile& file : is_listed ? description->files : list_files(folder)) {
    const std::string from = path_in(folder, file.name), copy = path_in(to, file.name);
    if (!is_listed && (file.name == kSnapshotDescription || file.name == "LOCK" || file.name == "LOG"))
      continue;
    std::uint64_t bytes = 0;
    if (!env_->GetFileSize(from, &bytes).ok()) throw damaged(folder, from + " is missing");
    if (bytes != file.bytes)
      throw damaged(folder,
                    from + " has " + std::to_string(bytes) + " bytes, not " + std::to_string(file.bytes));
    if (!file.checksum && env_->LinkFile(from, copy).ok()) continue;
    const std::string content = read_file(env_, from);
    if (file.checksum && *file.checksum != extend_crc32c(0, content.data(), content.size()))
      throw damaged(folder, from + " is not as it was written: its checksum is another");
    write_file(env_, copy, content);
  }
  sync_entries(env_, to);
  if (is_listed || options_.in_memory) return;
  const auto names = names_in(env_, to);
  const auto is_log = [](const std::string& name) { return name.ends_with(".log"); };
  if (std::none_of(names.begin(), names.end(), is_log)) return;  // RocksDB leaves out empty logs
  const LogCheck logs = check_logs(to);
  if (!logs.damage.empty()) throw damaged(folder, with_folder(logs.damage, to, folder));
  if (!logs.torn.empty()) warn("the snapshot " + name_of(folder) + ": " + logs.torn);
}

// Returns the copy, open. On the disk the whole snapshot has been read and verified by then.
std::unique_ptr<Database> TableStore::Impl::open_copy(const std::string& folder,
                                                      const std::string& staged) const {
  copy_snapshot(folder, staged);
  try {
    auto out = open(staged, false);
    require_known_format(*out);
    if (!options_.in_memory) check(out->db().VerifyChecksum());
    check(out->db().Flush({}, {out->catalog(), out->entities()}));
    return out;
  } catch (const StoreFault& fault) {
    if (!is_fault_of_files(fault.status())) throw;
    std::string what = with_folder(fault.status().ToString(), staged, folder);
    const std::string table = damaged_table(env_, folder);
    if (what.find(table) == what.npos) what += "; the damaged file is " + table;
    throw damaged(folder, what);
  } catch (const CorruptRecord& fault) {
    throw damaged(folder, fault.what());
  }
}

Result<void> TableStore::Impl::restore_snapshot(std::string_view name) {
  const std::lock_guard lock(snapshots_mutex_);
  require_database();
  const auto folder = find_snapshot(name);
  if (!folder) return Error(ErrorCode::ResourceNotFound);
  const std::string staged = staging_folder();
  remove_tree(staged);
  try {
    exchange_database(open_copy(*folder, staged), staged);
  } catch (const std::exception&) {
    if (!is_displaced_) try_to_remove(staged);
    throw;
  }
  try_to_remove(staging_folder());  // the store as it was
  return {};
}

// Writes to `next` the counters that the store continues with, and returns them: beyond all timestamps and ids that either
// store has handed out.
TableStore::Impl::Counters TableStore::Impl::carry_counters_to(const Database& next) const {
  const DateTime mark{static_cast<std::int64_t>(number_in(next, kClockKey, 0))};
  const Counters out{std::max(next_table_id_, number_in(next, kNextTableIdKey, 1)),
                     std::max(clock_->mark(), mark)};
  rocksdb::WriteBatch batch;
  const auto put = [&](std::string_view key, std::uint64_t number) {
    check(batch.Put(next.catalog(), slice(key), slice(encode_number(number))));
  };
  put(kNextTableIdKey, out.next_table_id);
  put(kClockKey, static_cast<std::uint64_t>(out.clock_mark.ticks));
  put_new_contents_id(next, batch);
  rocksdb::WriteOptions options = write_options_;
  options.sync = !options_.in_memory;
  check(next.db().Write(options, &batch));
  return out;
}

// `next` is open in the folder `staged`.
void TableStore::Impl::exchange_database(std::unique_ptr<Database> next, const std::string& staged) {
  if (!options_.in_memory) recovery_.prepare();
  Gate::Closed alone(gate_, kDrainTime);
  const Counters counters = carry_counters_to(*next);
  if (options_.in_memory) {
    database_ = std::move(next);
    directory_ = staged;
  } else {
    replace_on_disk(alone, std::move(next), staged);
  }
  next_table_id_ = counters.next_table_id;
  first_table_id_ = 1;
  clock_->pass(counters.clock_mark);
  table_rows_.clear();
  take_contents_id();
  try {
    sweep_unfinished_clones();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next start sweeps them
  }
}

// Closes both databases, exchanges their folders and opens the new one. If it throws, the former store is open, or the
// store is not available.
void TableStore::Impl::replace_on_disk(Gate::Closed& alone, std::unique_ptr<Database> next,
                                       const std::string& staged) {
  next.reset();
  database_.reset();
  try {
    exchange_folders(staged, directory_);
    is_displaced_ = true;
    sync_entries(env_, std::filesystem::path(directory_).parent_path().string());
    database_ = open(directory_, false);
    is_displaced_ = false;
  } catch (const std::exception&) {
    try {
      open_as_it_was();
    } catch (const std::exception& fault) {
      alone.leave_closed();
      recovery_.begin(fault.what());
      warn("a restore failed, and the store cannot be opened again: " + std::string(fault.what()) +
           "; it is tried again every second, for at most " +
           std::to_string(std::chrono::ceil<std::chrono::seconds>(options_.reopen_timeout).count()) + " s");
    }
    throw;
  }
}

// Moves the former store back to its place after a failed exchange.
void TableStore::Impl::put_back() {
  std::error_code error;
  settle_exchange(directory_, error);
  if (!is_displaced_) return;
  exchange_folders(staging_folder(), directory_);
  is_displaced_ = false;
  sync_entries(env_, std::filesystem::path(directory_).parent_path().string());
}

void TableStore::Impl::open_as_it_was() {
  put_back();
  database_ = open_home(false);
}

// An attempt of recovery_, on its thread. Throws where the store cannot be opened yet.
void TableStore::Impl::recover() {
  const std::lock_guard lock(snapshots_mutex_);
  open_as_it_was();
  gate_.open_again();
  warn("the store is open again");
  try_to_remove(staging_folder());  // the copy of the snapshot
}

}  // namespace rocktable
