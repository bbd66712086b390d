// The store: tables and their entities, on RocksDB. No RocksDB type crosses this interface.
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

namespace rocktable {

struct StoreEnvironment;  // store_environment.h

struct StoreOptions {
  std::filesystem::path
      directory;           // created if absent; may be a link to an existing folder; ignored in memory
  bool in_memory = false;  // nothing on disk, nothing survives
  bool sync = false;       // fsync each commit: survives power loss, not only the death of the process
  // Called from any thread with a sentence that the user should know.
  std::function<void(const std::string&)> warn = {};
  // Called once, from another thread, with the reason why the store could not be opened again within `reopen_timeout`
  // after a failed restore. The store refuses all calls from then on. Its files are whole: the next start opens them.
  std::function<void(const std::string&)> give_up = {};
  std::chrono::milliseconds reopen_timeout = std::chrono::seconds(60);
  const StoreEnvironment* environment = nullptr;  // file system access of tests; null: the machine's
};

// The store could not be opened: a sentence for the user. Nothing was damaged.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Files of the store are missing or damaged, which it was opened too late to prevent: repair_store (storage/repair/repair.h)
// saves what is whole.
class DamagedStore : public StoreError {
 public:
  using StoreError::StoreError;
};

// A snapshot that cannot be restored. The sentence names the file that is missing or damaged. The store is unchanged.
class DamagedSnapshot : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What addresses a table. Names compare without regard to ASCII case.
struct TableName {
  std::string_view account;
  std::string_view table;
};

struct Table {
  std::string name;  // as created
  DateTime created;
};

// What was copied.
struct AccountClone {
  std::uint64_t tables = 0, entities = 0;
};

// A table that an empty store begins with.
struct SeedTable {
  std::string account, name;
  // Its next entity, nothing at the end; the tables' are asked for one after the other. May throw: then none stays.
  std::function<std::optional<Entity>()> next;
};

// What was written.
struct SeedCount {
  std::uint64_t tables = 0, entities = 0;
};

// A refused transaction: which of its writes was refused, and why.
struct WriteRefusal {
  std::size_t position;
  Error error;
};

[[noreturn]] void throw_exception_from_error(const WriteRefusal& refusal,
                                             const boost::source_location& where);

template <class T>
using CommitResult = boost::system::result<T, WriteRefusal>;

// All functions are thread-safe. Where `stats` is given, what was read is added to it. Faults of the disk and
// damaged records are thrown (std::runtime_error). While everything is reset, or a snapshot restored, calls that are at
// work come to their end first (a long scan to that of a page), and new ones wait; where that takes more than a moment they
// throw ServiceException: ServerBusy. While the store is not available all calls throw the same, except where
// stated otherwise.
class TableStore {
 public:
  // Throws StoreError.
  explicit TableStore(const StoreOptions& options);
  // Flushes, so that the next start has no log to replay.
  ~TableStore();

  // Returns the reason why the store is not available, or nothing while it is available. Does not block. A failed restore
  // may leave no database open, for example where the disk is full; reopening is then tried every second.
  std::optional<std::string> unavailable() const;

  // Errors: TableAlreadyExists.
  Result<void> create_table(const TableName& name);

  // In constant time, whatever the table's size; the name can be created again at once. Errors:
  // ResourceNotFound.
  Result<void> delete_table(const TableName& name);

  std::optional<Table> get_table(const TableName& name) const;

  // Visits an account's tables in the order of their lower-case names, as far as these lie in `names`
  // (table_name_ranges()), until `visit` has answered true `page_size` times. Nothing else of the catalog is read.
  // Returns the table to resume from, the next one in `names`, or nothing at the end.
  std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                   const std::function<bool(const Table&)>& visit) const;

  // The document that set_signed_identifiers stored for this table, empty where there was none. It goes with
  // the table. Errors: TableNotFound.
  Result<std::string> signed_identifiers(const TableName& name) const;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document);

  // The document that set_service_properties stored for this account; nothing where there was none.
  std::optional<std::string> service_properties(std::string_view account) const;
  void set_service_properties(std::string_view account, std::string_view document);

  // Calls `visit` with the entity, valid during the call. Returns whether there was one. Errors:
  // TableNotFound.
  Result<bool> get(const TableName& name, const EntityKey& key,
                   const std::function<void(const EntityView&)>& visit, RequestStats* stats = nullptr) const;

  // Visits the entities of `ranges` in key order. A range of one key is looked up (bloom filters spare most
  // reads of what is not there), any other is iterated within its bounds; nothing else is read.
  //
  //   visit      called once an entity with a view that is valid during the call; answers whether it belongs
  //              to the page; must not call the store
  //   filter     what does not match it is not visited; with one, a long scan may use a second core
  //   page_size  stop after this many that do, 1 or more; sooner once their keys and records fill
  //              kMaxPageBytes, for a page is held in memory
  //   is_full    asked after each entity of the page: whether the page ends with it
  //   deadline   stop then; at least one entity is visited, so that a scan that resumes gets ahead
  //
  // Returns the key to resume from (the first one not visited), or nothing at the end. A page may be empty
  // and still have one. Sees one snapshot of the table. Errors: TableNotFound.
  // Source: learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination
  Result<std::optional<EntityKey>> scan(const TableName& name, const KeyRanges& ranges, int page_size,
                                        ScanDeadline deadline,
                                        const std::function<bool(const EntityView&)>& visit,
                                        RequestStats* stats = nullptr, const Filter* filter = nullptr,
                                        const std::function<bool()>& is_full = {}) const;

  // An entity group transaction: applies all writes to one partition, or none. `writes` has at least one
  // element and no row key twice. Durable when it returns. Returns the timestamp that all of them got; it is
  // larger than that of every commit before. Errors: TableNotFound at position 0, else those of apply().
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                std::span<const Mutation> writes, RequestStats* stats = nullptr);

  // How many tables all accounts have together, or `most` where there are more: as many rows are visited.
  std::uint64_t count_tables(std::uint64_t most) const;

  // No account has a table.
  bool is_empty() const;

  // How many tables each account has that has any.
  std::map<std::string, std::uint64_t> table_counts() const;

  // Creates these tables with their entities, whose timestamps are given here: all of it or nothing, also where the process
  // ends meanwhile. In memory of a bounded size. Errors: EntityAlreadyExists (the entity that `next` gave last has the keys
  // of one before), TableAlreadyExists.
  Result<SeedCount> seed(const std::vector<SeedTable>& tables);

  // Which contents these are: another text after each reset (of everything, an account or a table), each restored snapshot
  // and each repair; in memory, after each start. Does not wait for those.
  std::string contents_id() const;

  // --- What test suites ask for: the same again, and quickly

  // Deletes all tables and settings of all accounts. Constant time, as the next two: files are dropped, not rows.
  // Timestamps go on.
  void reset();
  // Deletes all tables and the service properties of an account. Nothing to do is fine.
  void reset_account(std::string_view account);
  // Empties a table; it stays, with its signed identifiers. Errors: TableNotFound.
  Result<void> reset_table(const TableName& name);

  // Copies all tables of an account, as they are at one moment, with their signed identifiers and the account's service
  // properties: all or nothing. Takes as long as its entities are many, and writes go on meanwhile. Entities keep their
  // timestamps. Errors: ResourceNotFound (no table to copy), TableAlreadyExists (`to` has tables), ServerBusy (tables to
  // be copied were deleted or emptied all the time, or everything is exchanged).
  Result<AccountClone> clone_account(std::string_view from, std::string_view to);

  // Takes a snapshot of the whole store, of one moment, while it serves; it is there whole or not at all. Nothing where
  // there is one of that name that is not to be replaced. Errors: InvalidResourceName.
  Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace);
  // In the order of their names. This call and delete_snapshot() also work while the store is not available: deleting a
  // snapshot makes room on the disk.
  std::vector<SnapshotInfo> snapshots() const;
  // Errors: ResourceNotFound.
  Result<void> delete_snapshot(std::string_view name);
  // Everything is as in the snapshot, which stays. Whoever ends the process meanwhile finds either that or what was
  // before. If it throws, the data are as before. Timestamps go on. On the disk the whole snapshot is read first and
  // compared with its checksums. Errors: ResourceNotFound. Throws DamagedSnapshot; ServiceException: ServerBusy, where calls
  // at work do not end in time.
  Result<void> restore_snapshot(std::string_view name);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rocktable
