// Snapshots of the whole store, by name: folders beside it, whose files of tables are second names of the store's own
// (they are never changed, only deleted). One appears under its name once it is whole.
//
//   STORE.snapshots/NAME/   a database of RocksDB, and a file SNAPSHOT that says what it is (snapshot_description.h)
//   STORE.snapshots/~NAME/  one that is being made: gone after the next start
//   STORE.restore/          a snapshot's copy that is about to take the store's place, or the store that had it: likewise
//
// In memory all is the same, but for the folders' places: there the new database stays where it was made.
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <mutex>

#include "odata/date_time.h"
#include "storage/folders.h"
#include "storage/rocksdb.h"
#include "storage/snapshot_description.h"
#include "storage/table_store_impl.h"

namespace rocktable {
namespace {

constexpr char kDescription[] = "SNAPSHOT";
constexpr char kUnfinished = '~';  // in no name

std::string in(const std::string& folder, std::string_view name) { return folder + "/" + std::string(name); }

// Empty where there is no such folder.
std::vector<std::string> children(rocksdb::Env* env, const std::string& folder) {
  std::vector<std::string> out;
  const auto status = env->GetChildren(folder, &out);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};
  check(status);
  std::erase_if(out, [](const std::string& name) { return name == "." || name == ".."; });
  std::sort(out.begin(), out.end());
  return out;
}

void remove_folder(rocksdb::Env* env, const std::string& folder) {
  if (!env->FileExists(folder).ok()) return;
  for (const auto& name : children(env, folder)) check(env->DeleteFile(in(folder, name)));
  check(env->DeleteDir(folder));
}

void sync(rocksdb::Env* env, const std::string& folder) {
  std::unique_ptr<rocksdb::Directory> directory;
  if (env->NewDirectory(folder, &directory).ok()) check(directory->Fsync());
}

void copy_file(rocksdb::Env* env, const std::string& from, const std::string& to) {
  std::string bytes;
  check(rocksdb::ReadFileToString(env, from, &bytes));
  check(rocksdb::WriteStringToFile(env, bytes, to, true));
}

// The snapshot as a database that can be written to.
void copy_database(rocksdb::Env* env, const std::string& from, const std::string& to) {
  check(env->CreateDir(to));
  for (const auto& name : children(env, from)) {
    if (name == kDescription || name == "LOCK" || name == "LOG") continue;
    const bool linked = name.ends_with(".sst") && env->LinkFile(in(from, name), in(to, name)).ok();
    if (!linked) copy_file(env, in(from, name), in(to, name));
  }
  sync(env, to);
}

std::uint64_t bytes_in(rocksdb::Env* env, const std::string& folder) {
  std::uint64_t out = 0;
  for (const auto& name : children(env, folder)) {
    std::uint64_t bytes = 0;
    check(env->GetFileSize(in(folder, name), &bytes));
    out += bytes;
  }
  return out;
}

std::optional<SnapshotInfo> read_description(rocksdb::Env* env, const std::string& snapshots,
                                             std::string_view name) {
  const std::string file = in(in(snapshots, name), kDescription);
  std::string text;
  if (!env->FileExists(file).ok()) return std::nullopt;
  check(rocksdb::ReadFileToString(env, file, &text));
  return parse_description(name, text);
}

std::uint64_t number_in(const Database& database, std::string_view key, std::uint64_t otherwise) {
  std::string bytes;
  const auto status = database.db().Get({}, database.catalog(), slice(key), &bytes);
  if (status.IsNotFound()) return otherwise;
  check(status);
  return decode_number(bytes);
}

std::uint64_t count_tables(const Database& database) {
  std::uint64_t out = 0;
  const std::unique_ptr<rocksdb::Iterator> rows(database.db().NewIterator({}, database.catalog()));
  const auto& [begin, end] = kTableRows;
  for (rows->Seek(slice(begin)); rows->Valid() && view(rows->key()) < end; rows->Next()) ++out;
  check(rows->status());
  return out;
}

void require_known_format(const Database& database) {
  if (number_in(database, kFormatKey, kStoreFormat) > kStoreFormat)
    throw std::runtime_error("the snapshot was written by a newer rocktable");
}

}  // namespace

std::string TableStore::Impl::snapshot_folder() const { return home_ + ".snapshots"; }

// One that is not there yet, or that an exchange has left.
std::string TableStore::Impl::staging_folder() const {
  return directory_ == home_ ? home_ + ".restore" : home_;
}

void TableStore::Impl::remove_leftovers() {
  remove_remains(home_);
  remove_folder(env_, staging_folder());
  for (const auto& name : children(env_, snapshot_folder()))
    if (name.front() == kUnfinished) remove_folder(env_, in(snapshot_folder(), name));
}

Result<std::optional<SnapshotInfo>> TableStore::Impl::take_snapshot(std::string_view name, bool replace) {
  if (!is_snapshot_name(name)) return Error(ErrorCode::InvalidResourceName);
  const std::lock_guard lock(snapshots_mutex_);
  const std::string folder = snapshot_folder();
  const std::string place = in(folder, name), made = in(folder, kUnfinished + std::string(name));
  const bool exists = env_->FileExists(place).ok();
  if (exists && !replace) return std::optional<SnapshotInfo>();
  check(env_->CreateDirIfMissing(folder));
  remove_folder(env_, made);
  SnapshotInfo info{std::string(name), now(), count_tables(*database_), 0};
  try {
    rocksdb::Checkpoint* checkpoint = nullptr;
    check(rocksdb::Checkpoint::Create(&db(), &checkpoint));
    const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
    check(checkpoint->CreateCheckpoint(made));
    info.bytes = bytes_in(env_, made);
    check(rocksdb::WriteStringToFile(env_, to_description(info), in(made, kDescription), true));
    sync(env_, made);
    if (exists && options_.in_memory) remove_folder(env_, place);
    if (exists && !options_.in_memory) {
      exchange_folders(made, place);
    } else {
      check(env_->RenameFile(made, place));
    }
  } catch (const std::exception&) {
    // NOLINTNEXTLINE(bugprone-empty-catch): the next one of that name, or the next start, removes it
    try {
      remove_folder(env_, made);
    } catch (const std::exception&) {
    }
    throw;
  }
  sync(env_, folder);
  remove_folder(env_, made);
  return std::optional(info);
}

std::vector<SnapshotInfo> TableStore::Impl::snapshots() const {
  const std::lock_guard lock(snapshots_mutex_);
  std::vector<SnapshotInfo> out;
  for (const auto& name : children(env_, snapshot_folder())) {
    if (!is_snapshot_name(name)) continue;
    if (auto info = read_description(env_, snapshot_folder(), name)) out.push_back(std::move(*info));
  }
  return out;
}

Result<void> TableStore::Impl::delete_snapshot(std::string_view name) {
  const std::lock_guard lock(snapshots_mutex_);
  const std::string folder = snapshot_folder();
  if (!is_snapshot_name(name) || !read_description(env_, folder, name))
    return Error(ErrorCode::ResourceNotFound);
  const std::string gone = in(folder, kUnfinished + std::string(name));
  remove_folder(env_, gone);
  check(env_->RenameFile(in(folder, name), gone));
  sync(env_, folder);
  remove_folder(env_, gone);
  return {};
}

Result<void> TableStore::Impl::restore_snapshot(std::string_view name) {
  const std::lock_guard lock(snapshots_mutex_);
  const std::string folder = snapshot_folder(), staged = staging_folder();
  if (!is_snapshot_name(name) || !read_description(env_, folder, name))
    return Error(ErrorCode::ResourceNotFound);
  remove_folder(env_, staged);
  try {
    copy_database(env_, in(folder, name), staged);
    auto next = open(staged);  // nothing has happened yet where it is damaged
    require_known_format(*next);
    check(next->db().Flush({}, {next->catalog(), next->entities()}));
    exchange_database(std::move(next), staged);
  } catch (const std::exception&) {
    // NOLINTNEXTLINE(bugprone-empty-catch): the next one, or the next start, removes it
    try {
      if (staged != directory_) remove_folder(env_, staged);
    } catch (const std::exception&) {
    }
    throw;
  }
  remove_folder(env_, staging_folder());  // the store as it was
  return {};
}

// Timestamps and ids go on behind all that were handed out, whichever of the two stores knew of them.
void TableStore::Impl::carry_counters_to(const Database& next) {
  next_table_id_ = std::max(next_table_id_, number_in(next, kNextTableIdKey, 1));
  first_table_id_ = 1;
  clock_->pass({static_cast<std::int64_t>(number_in(next, kClockKey, 0))});
  rocksdb::WriteBatch batch;
  const auto put = [&](std::string_view key, std::uint64_t number) {
    check(batch.Put(next.catalog(), slice(key), slice(encode_number(number))));
  };
  put(kNextTableIdKey, next_table_id_);
  put(kClockKey, static_cast<std::uint64_t>(clock_->mark().ticks));
  put_new_contents_id(next, batch);
  rocksdb::WriteOptions options = write_options_;
  options.sync = !options_.in_memory;
  check(next.db().Write(options, &batch));
}

// `next` is open in the folder `staged`. On the disk both are closed while the folders change their names, for RocksDB
// opens files by path.
void TableStore::Impl::exchange_database(std::unique_ptr<Database> next, const std::string& staged) {
  Gate::Closed alone(gate_, kDrainTime);
  carry_counters_to(*next);
  if (options_.in_memory) {
    database_ = std::move(next);
    directory_ = staged;
  } else {
    next.reset();
    database_.reset();
    reopen_exchanged(alone, staged);
  }
  table_rows_.clear();
  take_contents_id();
  sweep_unfinished_clones();
}

void TableStore::Impl::reopen_exchanged(Gate::Closed& alone, const std::string& staged) {
  bool exchanged = false;
  try {
    exchange_folders(staged, directory_);
    exchanged = true;
    sync_folder(std::filesystem::absolute(directory_).parent_path());
    database_ = open(directory_);
  } catch (const std::exception&) {
    try {
      if (exchanged) exchange_folders(staged, directory_);
      database_ = open(directory_);
    } catch (const std::exception&) {
      alone.stay();  // without a database; the folders are whole, and the next start opens one
    }
    throw;
  }
}

}  // namespace rocktable
