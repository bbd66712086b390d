// The store: tables, their entities, settings. storage/rocksdb/ and storage/postgres/ implement it, and open_store()
// (storage/engines/) opens the one that the user chose.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"
#include "odata/error.h"
#include "odata/filter.h"
#include "odata/key_ranges.h"
#include "storage/fixture_types.h"
#include "storage/mutation.h"
#include "storage/page_rules.h"
#include "storage/request_stats.h"
#include "storage/store_types.h"

namespace rocktable {

// A page of a scan, which visits the entities of `ranges` in key order. A range of one key is looked up (bloom filters
// avoid most reads of missing keys). Any other range is iterated within its bounds.
struct ScanArguments {
  const TableName& table;
  const KeyRanges& ranges;
  // The page ends after this many entities, 1 or more. It ends earlier once its keys and records have kMaxPageBytes,
  // because a page is held in memory.
  int page_size;
  // The page ends then. At least one entity is visited, so that a resumed scan makes progress.
  ScanDeadline deadline;
  // Called once for each entity, with a view that is valid during the call. Returns whether it belongs to the page.
  // Must not call the store.
  const std::function<bool(const EntityView&)>& visit;
  // Entities that do not match it are not visited. With a filter, a long scan may use a second core. Null: none.
  const Filter* filter = nullptr;
  // Called after each entity of the page. Returns whether the page ends. Empty: it does not.
  std::function<bool()> is_full = {};
};

// A number that operators watch, with the name and labels of Prometheus.
struct StoreMetric {
  std::string_view name;    // metrics of one name follow each other
  std::string_view labels;  // `state="idle"`, or empty
  std::string_view help;
  bool is_counter;  // else a gauge
  std::uint64_t value;
};

// All functions are thread-safe. Disk faults and damaged records are thrown (std::runtime_error). The costs of a call
// are added to `stats`.
//
// While the store is reset or a snapshot is restored, running calls end first (a long scan at the end of a page), and
// new calls wait. If that takes longer than a moment, new calls throw ServiceException (ServerBusy). While the store is
// not available, all calls throw the same, unless stated otherwise.
class Store {
 public:
  Store() = default;
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Returns whether calls wait for another machine. If not, a read of an entity takes microseconds.
  virtual bool is_remote() const = 0;

  // Returns the reason why the store is not available, or nullopt if it is available. Does not block. A failed restore
  // may leave no database open, for example if the disk is full. Reopening is then tried every second.
  virtual std::optional<std::string> unavailable() const = 0;

  // From now on, calls that wait for another machine end within about two seconds: the process is about to end.
  virtual void stop_waiting() {}

  // What kind of store it is, for the line of the start that says where the data are: `Citus, 2 nodes`. Empty: there is
  // nothing to say.
  virtual std::string kind() const { return {}; }

  // Does not block. unavailable() is not among them, because all stores have it.
  virtual std::vector<StoreMetric> metrics() const { return {}; }

  // --- Tables and documents

  // Errors: TableAlreadyExists.
  virtual Result<void> create_table(const TableName& name) = 0;

  // Takes constant time, independent of the size of the table. The name can be used again at once. Errors:
  // ResourceNotFound.
  virtual Result<void> delete_table(const TableName& name) = 0;

  virtual std::optional<Table> get_table(const TableName& name) const = 0;

  // Visits the tables of an account whose names are in `names` (table_name_ranges()), in the order of their lower-case
  // names, until `visit` has returned true `page_size` times. Reads no other rows of the catalog. Returns the next
  // table in `names`, to resume from, or nullopt at the end.
  virtual std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                           const std::function<bool(const Table&)>& visit) const = 0;

  // Returns the document of set_signed_identifiers() for this table, or an empty string if none was set. Deleting the
  // table deletes it. Errors: TableNotFound.
  virtual Result<std::string> signed_identifiers(const TableName& name) const = 0;
  virtual Result<void> set_signed_identifiers(const TableName& name, std::string_view document) = 0;

  // Returns the document by which access is decided. The service applies a changed one late.
  virtual Result<std::string> signed_identifiers_in_force(const TableName& name) const {
    return signed_identifiers(name);
  }

  // Returns the document of set_service_properties() for this account, or nullopt if none was set.
  virtual std::optional<std::string> service_properties(std::string_view account) const = 0;
  virtual void set_service_properties(std::string_view account, std::string_view document) = 0;

  // --- Entities

  // Calls `visit` with the entity, which is valid during the call; it must not call the store. Returns whether the
  // entity exists. Errors: TableNotFound.
  virtual Result<bool> get(const TableName& name, const EntityKey& key,
                           const std::function<void(const EntityView&)>& visit, RequestStats& stats) const = 0;

  // Returns the key of the first entity that was not visited, to resume from, or nullopt at the end. A page may be
  // empty and still have one. Sees one snapshot of the table. Errors: TableNotFound. Source:
  // learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination
  virtual Result<std::optional<EntityKey>> scan(const ScanArguments& scan, RequestStats& stats) const = 0;

  // Runs an entity group transaction: applies all writes to one partition, or none. `writes` has at least one element
  // and no row key twice. The writes are durable when it returns. Returns the timestamp of all writes, which is later
  // than that of every earlier commit. Errors: TableNotFound at position 0, otherwise those of apply().
  virtual CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                        std::span<const Mutation> writes, RequestStats& stats) = 0;

  // Returns an estimate of what the entities of `ranges` take. 0: no table, or not known.
  virtual std::uint64_t approximate_bytes(const TableName& name, const KeyRanges& ranges) const = 0;

  // --- Contents: for test suites and for the start of the program, as all that follows

  // Returns the number of tables of all accounts, or `limit` if there are more. Reads at most that many rows.
  virtual std::uint64_t count_tables(std::uint64_t limit) const = 0;

  // Returns the number of tables of each account that has any.
  virtual std::map<std::string, std::uint64_t> table_counts() const = 0;

  // Returns an id of the contents of the store. It changes with each reset (of everything, an account or a table), each
  // restored snapshot and each repair; in memory, also with each start. Does not wait for resets and restores.
  virtual std::string contents_id() const = 0;

  // Creates these tables with their entities and sets the timestamps. All or nothing, also if the process ends
  // meanwhile. Uses bounded memory. Errors: EntityAlreadyExists (the last entity that `next` returned has the keys of
  // an earlier one), TableAlreadyExists.
  virtual Result<SeedCount> seed(const std::vector<SeedTable>& tables) = 0;

  // --- Resets. Each takes constant time: drops files instead of deleting rows

  // Deletes all tables and settings of all accounts. Timestamps continue to increase, unless the emulator's clock was
  // turned back by more than a minute: then they begin anew from its time.
  virtual void reset() = 0;
  // Deletes all tables and the service properties of an account. Succeeds if there are none. If no account has tables
  // then, the same holds for timestamps.
  virtual void reset_account(std::string_view account) = 0;
  // Deletes the entities of a table. The table and its signed identifiers stay. Errors: TableNotFound.
  virtual Result<void> reset_table(const TableName& name) = 0;

  // Copies all tables of an account, as of one moment, with their signed identifiers and the service properties of the
  // account: all or nothing. Entities keep their timestamps. Takes time in proportion to the number of entities; other
  // writes continue meanwhile. Errors: ResourceNotFound (no table to copy), TableAlreadyExists (`to` has tables),
  // ServerBusy (tables to copy were deleted or emptied during each attempt, or the store is being reset or restored).
  virtual Result<AccountClone> clone_account(std::string_view from, std::string_view to) = 0;

  // --- Snapshots. They throw NotSupportedByStore if the store has none

  // Takes a snapshot of the whole store at one moment, while the store serves requests: all or nothing. Returns nullopt
  // if a snapshot of that name exists and `replace` is false. Errors: InvalidResourceName.
  virtual Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace) = 0;
  // Returns the snapshots in the order of their names. This call and delete_snapshot() also work while the store is not
  // available, because deleting a snapshot frees disk space.
  virtual std::vector<SnapshotInfo> snapshots() const = 0;
  // Errors: ResourceNotFound.
  virtual Result<void> delete_snapshot(std::string_view name) = 0;
  // Replaces the contents of the store by those of the snapshot, which is kept. If the process ends meanwhile, the next
  // start finds either the old or the new contents. If it throws, the contents are unchanged. Timestamps continue to
  // increase. On the disk, the whole snapshot is read first and compared with its checksums. Errors: ResourceNotFound.
  // Throws DamagedSnapshot; ServiceException (ServerBusy) if running calls do not end in time.
  virtual Result<void> restore_snapshot(std::string_view name) = 0;
};

}  // namespace rocktable
