// Which migrations an account has seen: the table `versionData`.
//
//   PartitionKey versionData         an applied one, as the library AzureTableStorageMigrator records it: RowKey its id in
//                                    decimal, without zeros in front; Version, Description. Ours add Checksum, Started and
//                                    Ended, which the library does not look at
//   PartitionKey versionDataRunning  one that was begun and not ended, RowKey as above: Checksum, Started, and how far it is:
//                                    Step and Phase, all before them done. A partition of its own, for the library takes
//                                    whatever is in the first for applied
//   PartitionKey versionDataLock     who is at work (runner_lock.h)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"

namespace rocktable::migration {

inline constexpr const char* kHistoryTable = "versionData";

struct AppliedMigration {
  std::string version;
  std::string description;
  std::string checksum;  // empty: the library has applied it
  std::optional<DateTime> ended;
};

struct RunningMigration {
  std::string checksum;
  DateTime started;
  int step = 0;
  int phase = 0;
};

class History {
 public:
  explicit History(MigrationClient& space) : space_(space) {}

  // Rows whose key is no id are passed over. Nothing where there is no table yet.
  std::map<std::int64_t, AppliedMigration> applied() const;
  std::map<std::int64_t, RunningMigration> running() const;

  void record_running(std::int64_t id, const RunningMigration& running);
  void record_applied(const Migration& migration, DateTime started);

 private:
  MigrationClient& space_;
};

}  // namespace rocktable::migration
