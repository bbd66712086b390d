// Repairs a damaged store: saves all readable data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct RepairReport {
  bool was_whole = false;    // if true, nothing was changed
  std::uint64_t tables = 0;  // number of tables now
  std::uint64_t entities = 0;
  std::vector<std::string> lost;  // one description each
  std::filesystem::path backup;   // the damaged store; empty if it was whole
};

// Reads the whole store and checks every checksum. If something is missing or damaged, creates a new store
// beside it from the readable data. Once the new store is complete, it takes the place of the old one. If the
// process ends earlier, the old store is unchanged. Entities of unknown tables are put into new tables
// `recoveredN` of `account`. If a file is lost, older versions of its entities may reappear, and deleted
// entities too.
//
// Throws StoreError: no store, in use by a process, not enough space.
RepairReport repair_store(const std::filesystem::path& store, std::string_view account);

}  // namespace rocktable
