// Saves what is whole of a damaged store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct RepairReport {
  bool was_whole = false;    // then nothing was changed
  std::uint64_t tables = 0;  // what there is now
  std::uint64_t entities = 0;
  std::vector<std::string> lost;  // a sentence each
  std::filesystem::path backup;   // the store as it was; empty where it was whole
};

// Reads all of the store and checks every checksum. Where something is missing or damaged, a new store is made of what is
// whole, next to it, and takes its place once it is complete; whoever ends the process before finds the old one.
// Entities whose table is not known any more are put into tables recoveredN of `account`. Where a file is lost, older
// versions of its entities may be back, and some that had been deleted.
//
// Throws StoreError: no store, in use by a process, not enough space.
RepairReport repair_store(const std::filesystem::path& store, std::string_view account);

}  // namespace rocktable
