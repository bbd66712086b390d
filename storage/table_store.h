// The store: tables and their entities in RocksDB. No RocksDB type is in this header.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"
#include "odata/error.h"
#include "odata/filter.h"
#include "odata/key_ranges.h"
#include "storage/format/snapshot_description.h"
#include "storage/mutation.h"
#include "storage/page_rules.h"
#include "storage/request_stats.h"
#include "storage/store_error.h"

namespace rocktable {

struct StoreEnvironment;  // store_environment.h

struct StoreOptions {
  std::filesystem::path
      directory;           // created if absent; may be a link to an existing folder; ignored in memory
  bool in_memory = false;  // nothing is written to disk, nothing survives the process
  bool sync = false;       // fsync each commit: survives power loss, not only the death of the process
  // Called from any thread with a sentence for the user.
  std::function<void(const std::string&)> warn = {};
  // Called once, from another thread, if the store could not be reopened within `reopen_timeout` after a
  // failed restore. The argument is the reason. From then on the store refuses all calls. Its files are
  // whole: the next start opens them.
  std::function<void(const std::string&)> give_up = {};
  std::chrono::milliseconds reopen_timeout = std::chrono::seconds(60);
  const StoreEnvironment* environment = nullptr;  // file system of tests; null: the real one
};

// The snapshot cannot be restored. The message names the missing or damaged file. The store is unchanged.
class DamagedSnapshot : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Names a table. Names are compared without regard to ASCII case.
struct TableName {
  std::string_view account;
  std::string_view table;
};

struct Table {
  std::string name;  // as created
  DateTime created;
};

// The number of tables and entities copied.
struct AccountClone {
  std::uint64_t tables = 0, entities = 0;
};

// A table to create in an empty store.
struct SeedTable {
  std::string account, name;
  // Returns the next entity of the table, or nullopt at the end. The tables are read one after the other. If
  // it throws, no table is created.
  std::function<std::optional<Entity>()> next;
};

// The number of tables and entities written.
struct SeedCount {
  std::uint64_t tables = 0, entities = 0;
};

// A refused transaction: the position of the refused write, and the reason.
struct WriteRefusal {
  std::size_t position;
  Error error;
};

[[noreturn]] void throw_exception_from_error(const WriteRefusal& refusal,
                                             const boost::source_location& where);

template <class T>
using CommitResult = boost::system::result<T, WriteRefusal>;

// All functions are thread-safe. If `stats` is given, the costs of the call are added to it. Disk faults and
// damaged records are thrown (std::runtime_error).
//
// While the store is reset or a snapshot is restored, running calls end first (a long scan at the end of a
// page), and new calls wait. If that takes longer than a moment, new calls throw ServiceException
// (ServerBusy). While the store is not available, all calls throw the same, unless stated otherwise.
class TableStore {
 public:
  // Throws StoreError.
  explicit TableStore(const StoreOptions& options);
  // Flushes, so that the next start has no log to replay.
  ~TableStore();

  // Returns the reason why the store is not available, or nullopt if it is available. Does not block. A
  // failed restore may leave no database open, for example if the disk is full. Reopening is then tried every
  // second.
  std::optional<std::string> unavailable() const;

  // Errors: TableAlreadyExists.
  Result<void> create_table(const TableName& name);

  // Takes constant time, independent of the size of the table. The name can be used again at once. Errors:
  // ResourceNotFound.
  Result<void> delete_table(const TableName& name);

  std::optional<Table> get_table(const TableName& name) const;

  // Visits the tables of an account whose names are in `names` (table_name_ranges()), in the order of their
  // lower-case names, until `visit` has returned true `page_size` times. Reads no other rows of the catalog.
  // Returns the next table in `names`, to resume from, or nullopt at the end.
  std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                   const std::function<bool(const Table&)>& visit) const;

  // Returns the document of set_signed_identifiers() for this table, or an empty string if none was set.
  // Deleting the table deletes it. Errors: TableNotFound.
  Result<std::string> signed_identifiers(const TableName& name) const;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document);

  // Returns the document of set_service_properties() for this account, or nullopt if none was set.
  std::optional<std::string> service_properties(std::string_view account) const;
  void set_service_properties(std::string_view account, std::string_view document);

  // Calls `visit` with the entity, which is valid during the call. Returns whether the entity exists. Errors:
  // TableNotFound.
  Result<bool> get(const TableName& name, const EntityKey& key,
                   const std::function<void(const EntityView&)>& visit, RequestStats* stats = nullptr) const;

  // Visits the entities of `ranges` in key order. A range of one key is looked up (bloom filters avoid most
  // reads of missing keys). Any other range is iterated within its bounds.
  //
  //   visit      called once for each entity, with a view that is valid during the call; returns whether it
  //              belongs to the page; must not call the store
  //   filter     entities that do not match it are not visited; with a filter, a long scan may use a
  //              second core
  //   page_size  end the page after this many entities, 1 or more. The page ends earlier once its keys and
  //              records have kMaxPageBytes, because a page is held in memory
  //   is_full    called after each entity of the page; returns whether the page ends
  //   deadline   end the page then; at least one entity is visited, so that a resumed scan makes progress
  //
  // Returns the key of the first entity that was not visited, to resume from, or nullopt at the end. A page
  // may be empty and still have one. Sees one snapshot of the table. Errors: TableNotFound. Source:
  // learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination
  Result<std::optional<EntityKey>> scan(const TableName& name, const KeyRanges& ranges, int page_size,
                                        ScanDeadline deadline,
                                        const std::function<bool(const EntityView&)>& visit,
                                        RequestStats* stats = nullptr, const Filter* filter = nullptr,
                                        const std::function<bool()>& is_full = {}) const;

  // Runs an entity group transaction: applies all writes to one partition, or none. `writes` has at least one
  // element and no row key twice. The writes are durable when it returns. Returns the timestamp of all
  // writes, which is later than that of every earlier commit. Errors: TableNotFound at position 0, otherwise
  // those of apply().
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                std::span<const Mutation> writes, RequestStats* stats = nullptr);

  // Returns the number of tables of all accounts, or `most` if there are more. Reads at most that many rows.
  std::uint64_t count_tables(std::uint64_t most) const;

  // Returns whether no account has a table.
  bool is_empty() const;

  // Returns the number of tables of each account that has any.
  std::map<std::string, std::uint64_t> table_counts() const;

  // Creates these tables with their entities and sets the timestamps. All or nothing, also if the process
  // ends meanwhile. Uses bounded memory. Errors: EntityAlreadyExists (the last entity that `next` returned
  // has the keys of an earlier one), TableAlreadyExists.
  Result<SeedCount> seed(const std::vector<SeedTable>& tables);

  // Returns an id of the contents of the store. It changes with each reset (of everything, an account or a
  // table), each restored snapshot and each repair; in memory, also with each start. Does not wait for resets
  // and restores.
  std::string contents_id() const;

  // --- For test suites

  // Deletes all tables and settings of all accounts. Takes constant time, as do the next two: drops files
  // instead of deleting rows. Timestamps continue to increase.
  void reset();
  // Deletes all tables and the service properties of an account. Succeeds if there are none.
  void reset_account(std::string_view account);
  // Deletes the entities of a table. The table and its signed identifiers stay. Errors: TableNotFound.
  Result<void> reset_table(const TableName& name);

  // Copies all tables of an account, as of one moment, with their signed identifiers and the service
  // properties of the account: all or nothing. Entities keep their timestamps. Takes time in proportion to
  // the number of entities; other writes continue meanwhile. Errors: ResourceNotFound (no table to copy),
  // TableAlreadyExists (`to` has tables), ServerBusy (tables to copy were deleted or emptied during each
  // attempt, or the store is being reset or restored).
  Result<AccountClone> clone_account(std::string_view from, std::string_view to);

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
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rocktable
