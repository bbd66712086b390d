// Records which migrations an account has, in the table `versionData`:
//
//   PartitionKey versionData         an applied migration, in the format of the library
//                                    AzureTableStorageMigrator: RowKey is the decimal id without leading
//                                    zeros; Version, Description. rocktable adds Checksum, Started and Ended,
//                                    which the library ignores
//   PartitionKey versionDataRunning  a migration that started and has not finished, RowKey as above: the
//                                    members of RunningMigration. It needs a separate partition, because the
//                                    library takes every row of the first one for an applied migration
//   PartitionKey versionDataLock     the lock of the active runner (runner_lock.h)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"

namespace rocktable::migration {

inline constexpr const char* kHistoryTable = "versionData";

struct AppliedMigration {
  std::string version;
  std::string description;
  std::string checksum;  // empty: applied by the library
  std::optional<DateTime> ended;
};

struct RunningMigration {
  std::string checksum;
  DateTime started;
  int step = 0;   // all earlier ones are done
  int phase = 0;  // of that step: all earlier ones are done
  // Of the done steps and the one in progress. Empty: begun by an earlier version, or too many for a property.
  std::vector<StepDigest> digests = {};
  std::vector<std::string> created = {};  // tables
  std::string rekeyed_table = {};         // of a rekey in progress
  bool keep_old = false;                  // likewise
  MissingEntities skipped = {};           // of the step in progress
  bool aborting = false;                  // from here steps are undone, the last one first
};

class History {
 public:
  explicit History(MigrationClient& client) : client_(client) {}

  // Both ignore rows whose RowKey is not an id, and return nothing if the table does not exist.
  std::map<std::int64_t, AppliedMigration> applied() const;
  std::map<std::int64_t, RunningMigration> running() const;

  void record_running(std::int64_t id, const RunningMigration& running);
  void record_applied(const Migration& migration, DateTime started);
  // The migration counts as never begun.
  void forget_running(std::int64_t id);

 private:
  MigrationClient& client_;
};

}  // namespace rocktable::migration
