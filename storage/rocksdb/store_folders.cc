// The folders beside the store, and what an interrupted operation may leave there.
#include "base/folder_swap.h"
#include "storage/rocksdb/database/env_files.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_state.h"
#include "storage/rocksdb/format/snapshot_description.h"

namespace rocktable {

std::vector<std::string> EmbeddedState::snapshot_folders() const {
  std::vector<std::string> out{home_ + ".snapshots"};
  if (!link_home_.empty()) out.push_back(link_home_ + ".snapshots");
  return out;
}

std::string EmbeddedState::staging_folder() const { return directory_ == home_ ? home_ + ".restore" : home_; }

bool EmbeddedState::path_exists(const std::string& path) const {
  if (options_.in_memory) return env_->FileExists(path).ok();
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

void EmbeddedState::remove_tree(const std::string& path) const {
  if (options_.in_memory) {
    remove_folder(env_, path);
  } else {
    std::filesystem::remove_all(path);
  }
}

void EmbeddedState::make_free(const std::string& path) const {
  namespace fs = std::filesystem;
  try {
    remove_tree(path);
  } catch (const fs::filesystem_error&) {
    const bool is_snapshot = fs::path(path).filename().string().front() == kUnfinishedSnapshot;
    const std::string folder = is_snapshot ? fs::path(path).parent_path().string() : snapshot_folders().front();
    std::string aside;
    for (int number = 1; aside.empty() || path_exists(aside); ++number)
      aside = path_in(folder, kUnfinishedSnapshot + std::to_string(number));
    fs::rename(path, aside);
  }
}

void EmbeddedState::try_to_remove(const std::string& path) const {
  try {
    remove_tree(path);
  } catch (const std::exception& fault) {
    warn("cannot remove " + path + ", which is no longer needed: " + fault.what());
  }
}

void EmbeddedState::remove_leftovers() const {
  if (!options_.in_memory) try_to_remove(swap_leftover(home_).string());
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

void EmbeddedState::keep_folders_out_of_git() const {
  if (options_.in_memory) return;
  keep_out_of_git(home_);
  for (const auto& folder : snapshot_folders()) keep_out_of_git(folder);
}

}  // namespace rocktable
