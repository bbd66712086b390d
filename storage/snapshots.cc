// Snapshots of the whole store, by name: folders beside it, whose files of tables are second names of the store's own
// (they are never changed, only deleted). One appears under its name once it is whole. restore.cc makes one the store.
//
//   STORE.snapshots/NAME/   a database of RocksDB, and a file SNAPSHOT that says what it is (snapshot_description.h)
//   STORE.snapshots/~NAME/  one that is being made: gone after the next start
//
// STORE is the real folder. If the user names it by a symbolic link, snapshots beside the link are found as well.
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <mutex>

#include "odata/date_time.h"
#include "storage/crc32c.h"
#include "storage/env_files.h"
#include "storage/folders.h"
#include "storage/rocksdb.h"
#include "storage/snapshot_description.h"
#include "storage/table_store_impl.h"

namespace rocktable {
namespace {

constexpr char kUnfinished = '~';  // in no name

}  // namespace

std::uint64_t TableStore::Impl::count_tables(std::uint64_t most) const {
  std::uint64_t out = 0;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator({}, catalog()));
  const auto& [begin, end] = kTableRows;
  for (rows->Seek(slice(begin)); out < most && rows->Valid() && view(rows->key()) < end; rows->Next()) ++out;
  check(rows->status());
  return out;
}

std::vector<std::string> TableStore::Impl::snapshot_folders() const {
  std::vector<std::string> out{home_ + ".snapshots"};
  if (!link_home_.empty()) out.push_back(link_home_ + ".snapshots");
  return out;
}

std::optional<std::string> TableStore::Impl::find_snapshot(std::string_view name) const {
  if (!is_snapshot_name(name)) return std::nullopt;
  for (const auto& folder : snapshot_folders()) {
    std::string place = path_in(folder, name);
    if (env_->FileExists(path_in(place, kSnapshotDescription)).ok()) return place;
  }
  return std::nullopt;
}

std::optional<SnapshotDescription> TableStore::Impl::describe_snapshot(const std::string& folder) const {
  const std::string file = path_in(folder, kSnapshotDescription);
  if (!env_->FileExists(file).ok()) return std::nullopt;
  return parse_description(folder.substr(folder.rfind('/') + 1), read_file(env_, file));
}

std::vector<SnapshotFile> TableStore::Impl::list_files(const std::string& folder) const {
  std::vector<SnapshotFile> out;
  for (const auto& name : names_in(env_, folder)) {
    SnapshotFile& file = out.emplace_back(SnapshotFile{name, 0, std::nullopt});
    check(env_->GetFileSize(path_in(folder, name), &file.bytes));
    if (is_table_file(name)) continue;
    const std::string bytes = read_file(env_, path_in(folder, name));
    file.checksum = extend_crc32c(0, bytes.data(), bytes.size());
  }
  return out;
}

bool TableStore::Impl::is_there(const std::string& path) const {
  if (options_.in_memory) return env_->FileExists(path).ok();
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

void TableStore::Impl::remove_tree(const std::string& path) const {
  if (options_.in_memory) {
    remove_folder(env_, path);
  } else {
    std::filesystem::remove_all(path);
  }
}

void TableStore::Impl::try_to_remove(const std::string& path) const {
  try {
    remove_tree(path);
  } catch (const std::exception& fault) {
    warn("cannot remove " + path + ", which is not needed any more: " + fault.what());
  }
}

void TableStore::Impl::remove_leftovers() const {
  if (!options_.in_memory) try_to_remove(remains_of_exchange(home_));
  try_to_remove(staging_folder());
  for (const auto& folder : snapshot_folders()) {
    try {
      for (const auto& name : names_in(env_, folder))
        if (name.front() == kUnfinished) try_to_remove(path_in(folder, name));
    } catch (const StoreFault& fault) {
      warn("cannot look for snapshots in " + folder + ": " + fault.what());
    }
  }
}

void TableStore::Impl::keep_folders_out_of_git() const {
  if (options_.in_memory) return;
  keep_out_of_git(home_);
  for (const auto& folder : snapshot_folders()) keep_out_of_git(folder);
}

Result<std::optional<SnapshotInfo>> TableStore::Impl::take_snapshot(std::string_view name, bool replace) {
  if (!is_snapshot_name(name)) return Error(ErrorCode::InvalidResourceName);
  const std::lock_guard lock(snapshots_mutex_);
  require_database();
  const auto earlier = find_snapshot(name);
  const std::string folder = snapshot_folders().front();
  const std::string place = path_in(folder, name), made = path_in(folder, kUnfinished + std::string(name));
  const bool in_place = is_there(place);
  if ((earlier || in_place) && !replace) return std::optional<SnapshotInfo>();
  check(env_->CreateDirIfMissing(folder));
  if (!options_.in_memory) keep_out_of_git(folder);
  remove_tree(made);
  SnapshotDescription description{{std::string(name), now(), count_tables(UINT64_MAX), 0}, {}};
  try {
    rocksdb::Checkpoint* checkpoint = nullptr;
    check(rocksdb::Checkpoint::Create(&db(), &checkpoint));
    const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
    check(checkpoint->CreateCheckpoint(made));
    description.files = list_files(made);
    for (const auto& file : description.files) description.info.bytes += file.bytes;
    write_file(env_, path_in(made, kSnapshotDescription), to_text(description));
    sync_entries(env_, made);
    if (in_place && options_.in_memory) remove_tree(place);
    if (in_place && !options_.in_memory) {
      exchange_folders(made, place);
    } else {
      check(env_->RenameFile(made, place));
    }
  } catch (const std::exception&) {
    try_to_remove(made);
    throw;
  }
  sync_entries(env_, folder);
  try_to_remove(made);
  if (earlier && *earlier != place) try_to_remove(*earlier);
  return std::optional(description.info);
}

std::vector<SnapshotInfo> TableStore::Impl::snapshots() const {
  const std::lock_guard lock(snapshots_mutex_);
  std::vector<SnapshotInfo> out;
  for (const auto& folder : snapshot_folders()) {
    for (const auto& name : names_in(env_, folder)) {
      if (find_snapshot(name) != path_in(folder, name)) continue;
      if (auto description = describe_snapshot(path_in(folder, name)))
        out.push_back(std::move(description->info));
    }
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

Result<void> TableStore::Impl::delete_snapshot(std::string_view name) {
  const std::lock_guard lock(snapshots_mutex_);
  const auto place = find_snapshot(name);
  if (!place) return Error(ErrorCode::ResourceNotFound);
  const std::string folder = place->substr(0, place->rfind('/'));
  const std::string gone = path_in(folder, kUnfinished + std::string(name));
  remove_tree(gone);
  check(env_->RenameFile(*place, gone));
  sync_entries(env_, folder);
  try_to_remove(gone);
  return {};
}

}  // namespace rocktable
