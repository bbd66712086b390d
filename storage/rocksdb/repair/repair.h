// Repairs a damaged store: saves all readable data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

struct RepairReport {
  static constexpr std::size_t kMaxNamed = 10'000;

  bool was_whole = false;    // if true, nothing was changed
  std::uint64_t tables = 0;  // number of tables now
  std::uint64_t entities = 0;
  std::vector<std::string> lost;  // one description each
  // Entities, tables, access policies and service properties that are kept, but may be older than they were, or were
  // deleted: a damaged file may have had newer versions of them. Their names as in URLs, kMaxNamed at most.
  std::vector<std::string> older;
  std::uint64_t older_count = 0;
  // Losses after which more may be older than it was, or may have been deleted, and cannot be named: a sentence each.
  std::vector<std::string> older_unnamed;
  // What may be lost at the end of the last log, as after a power failure, in a sentence. Mostly empty.
  std::string incomplete;
  std::filesystem::path backup;  // the damaged store; empty if it was whole
};

// Reads the whole store and checks every checksum. If something is missing or damaged, creates a new store
// beside it from the readable data. Once the new store is complete, it takes the place of the old one. If the
// process ends earlier, the old store is unchanged. Entities of unknown tables are put into new tables
// `recoveredN` of `account`. Where a damaged file has lost entities, older versions of them in other files
// may reappear, and deleted entities too: `older` names them. Where they cannot be named, as behind lost operations of
// a log, `older_unnamed` says so.
//
// Throws StoreError: no store, in use by a process, not enough space.
RepairReport repair_store(const std::filesystem::path& store, std::string_view account);

}  // namespace rocktable
