// What tests of snapshots and restores have in common.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "storage/table_store.h"

namespace rocktable {

inline std::string names_of(const std::vector<SnapshotInfo>& list) {
  std::string out;
  for (const auto& info : list) out += info.name + " ";
  return out;
}

inline void take(TableStore& store, std::string_view name, bool replace = false) {
  const auto taken = store.take_snapshot(name, replace);
  REQUIRE(taken.has_value());
  REQUIRE(taken->has_value());
}

// The names of all that lies beside a store.
inline std::vector<std::string> beside(const StoreOptions& options) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(options.directory.parent_path()))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace rocktable
