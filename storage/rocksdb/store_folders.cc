// The folders beside the store, and what an interrupted operation may leave there.
#include "base/folder_swap.h"
#include "storage/rocksdb/database/env_files.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_state.h"
#include "storage/rocksdb/format/snapshot_description.h"

namespace rocktable {
namespace {

// PATH, PATH-2, PATH-3, ...
std::string numbered(const std::string& path, int number) {
  return number == 1 ? path : path + "-" + std::to_string(number);
}

}  // namespace

std::vector<std::string> EmbeddedState::snapshot_folders() const {
  std::vector<std::string> out{home_ + ".snapshots"};
  if (!link_home_.empty()) out.push_back(link_home_ + ".snapshots");
  return out;
}

std::string EmbeddedState::staging_folder() const { return directory_ == home_ ? staging_ : home_; }

std::string EmbeddedState::new_staging_folder() {
  if (directory_ != home_) return make_free(home_);
  staging_ = make_free(home_ + ".restore");
  return staging_;
}

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

std::string EmbeddedState::make_free(const std::string& path) const {
  constexpr int kMostNames = 1000;
  for (int number = 1;; ++number) {
    const std::string out = numbered(path, number);
    try {
      remove_tree(out);
      return out;
    } catch (const std::filesystem::filesystem_error&) {
      if (number == kMostNames) throw;
    }
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
  int number = 1;
  do try_to_remove(numbered(staging_, number));
  while (path_exists(numbered(staging_, ++number)));
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
