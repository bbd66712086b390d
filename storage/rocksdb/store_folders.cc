// The folders beside the store, and what an interrupted operation may leave there.
#include "storage/folder_swap.h"
#include "storage/rocksdb/env_files.h"
#include "storage/rocksdb/format/snapshot_description.h"
#include "storage/rocksdb/rocks_store.h"
#include "storage/rocksdb/rocksdb.h"

namespace rocktable {

std::vector<std::string> RocksStore::snapshot_folders() const {
  std::vector<std::string> out{home_ + ".snapshots"};
  if (!link_home_.empty()) out.push_back(link_home_ + ".snapshots");
  return out;
}

std::string RocksStore::staging_folder() const { return directory_ == home_ ? home_ + ".restore" : home_; }

bool RocksStore::path_exists(const std::string& path) const {
  if (options_.in_memory) return env_->FileExists(path).ok();
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

void RocksStore::remove_tree(const std::string& path) const {
  if (options_.in_memory) {
    remove_folder(env_, path);
  } else {
    std::filesystem::remove_all(path);
  }
}

void RocksStore::try_to_remove(const std::string& path) const {
  try {
    remove_tree(path);
  } catch (const std::exception& fault) {
    warn("cannot remove " + path + ", which is no longer needed: " + fault.what());
  }
}

void RocksStore::remove_leftovers() const {
  if (!options_.in_memory) try_to_remove(swap_leftover(home_));
  try_to_remove(staging_folder());
  for (const auto& folder : snapshot_folders()) {
    try {
      for (const auto& name : names_in(env_, folder))
        if (name.front() == kUnfinishedSnapshot) try_to_remove(path_in(folder, name));
    } catch (const StoreFault& fault) {
      warn("cannot list the snapshots in " + folder + ": " + fault.what());
    }
  }
}

void RocksStore::keep_folders_out_of_git() const {
  if (options_.in_memory) return;
  keep_out_of_git(home_);
  for (const auto& folder : snapshot_folders()) keep_out_of_git(folder);
}

}  // namespace rocktable
