// The files of a snapshot, changed behind the store's back.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "storage/snapshot_description.h"

namespace rocktable {

inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

// Gives a snapshot copies of the files that it shares with the store.
inline void own_files(const std::filesystem::path& snapshot) {
  for (const auto& file : files_in(snapshot)) {
    const std::filesystem::path copy = file.string() + ".copy";
    std::filesystem::copy_file(file, copy);
    std::filesystem::rename(copy, file);
  }
}

// Makes it one of the first format, which says nothing of its files.
inline void forget_list_of_files(const std::filesystem::path& snapshot) {
  const std::filesystem::path file = snapshot / kSnapshotDescription;
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto description = parse_description("x", text);
  REQUIRE(description.has_value());
  const SnapshotInfo& info = description->info;
  std::ofstream(file, std::ios::binary | std::ios::trunc) << "rocktable snapshot 1\n"
                                                          << info.taken.ticks << "\n"
                                                          << info.tables << "\n"
                                                          << info.bytes << "\n";
}

}  // namespace rocktable
