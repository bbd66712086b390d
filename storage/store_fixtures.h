// The calls on a store that test suites and the start of the program need, but no request handler: counts,
// seeds, resets, clones of accounts, snapshots.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "storage/fixture_types.h"
#include "storage/table_store.h"

namespace rocktable {

// Refers to a store, which must outlive it. All functions are thread-safe and throw as those of TableStore
// do.
class StoreFixtures {
 public:
  explicit StoreFixtures(TableStore& store) : engine_(store.engine()) {}

  // --- Contents

  // Returns the number of tables of all accounts, or `most` if there are more. Reads at most that many rows.
  std::uint64_t count_tables(std::uint64_t most) const;

  // Returns whether no account has a table.
  bool is_empty() const;

  // Returns the number of tables of each account that has any.
  std::map<std::string, std::uint64_t> table_counts() const;

  // Returns an id of the contents of the store. It changes with each reset (of everything, an account or a
  // table), each restored snapshot and each repair; in memory, also with each start. Does not wait for resets
  // and restores.
  std::string contents_id() const;

  // --- Seeds

  // Creates these tables with their entities and sets the timestamps. All or nothing, also if the process
  // ends meanwhile. Uses bounded memory. Errors: EntityAlreadyExists (the last entity that `next` returned
  // has the keys of an earlier one), TableAlreadyExists.
  Result<SeedCount> seed(const std::vector<SeedTable>& tables);

  // --- Resets

  // Deletes all tables and settings of all accounts. Takes constant time, as do the next two: drops files
  // instead of deleting rows. Timestamps continue to increase, unless the emulator's clock was turned back by more than a
  // minute: then they begin anew from its time.
  void reset();
  // Deletes all tables and the service properties of an account. Succeeds if there are none. If no account has tables then,
  // the same holds for timestamps.
  void reset_account(std::string_view account);
  // Deletes the entities of a table. The table and its signed identifiers stay. Errors: TableNotFound.
  Result<void> reset_table(const TableName& name);

  // --- Clones

  // Copies all tables of an account, as of one moment, with their signed identifiers and the service
  // properties of the account: all or nothing. Entities keep their timestamps. Takes time in proportion to
  // the number of entities; other writes continue meanwhile. Errors: ResourceNotFound (no table to copy),
  // TableAlreadyExists (`to` has tables), ServerBusy (tables to copy were deleted or emptied during each
  // attempt, or the store is being reset or restored).
  Result<AccountClone> clone_account(std::string_view from, std::string_view to);

  // --- Snapshots. They throw NotSupportedByStore if the engine has none.

  // Takes a snapshot of the whole store at one moment, while the store serves requests: all or nothing.
  // Returns nullopt if a snapshot of that name exists and `replace` is false. Errors: InvalidResourceName.
  Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace);
  // Returns the snapshots in the order of their names. This call and delete_snapshot() also work while the
  // store is not available, because deleting a snapshot frees disk space.
  std::vector<SnapshotInfo> snapshots() const;
  // Errors: ResourceNotFound.
  Result<void> delete_snapshot(std::string_view name);
  // Replaces the contents of the store by those of the snapshot, which is kept. If the process ends
  // meanwhile, the next start finds either the old or the new contents. If it throws, the contents are
  // unchanged. Timestamps continue to increase. On the disk, the whole snapshot is read first and compared
  // with its checksums. Errors: ResourceNotFound. Throws DamagedSnapshot; ServiceException (ServerBusy) if
  // running calls do not end in time.
  Result<void> restore_snapshot(std::string_view name);

 private:
  SnapshotKeeper& keeper() const;

  StoreEngine& engine_;
};

}  // namespace rocktable
