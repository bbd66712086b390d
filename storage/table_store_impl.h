// The implementation of TableStore with RocksDB, and its locks.
//
// Each public call of TableStore holds a Gate::Pass from beginning to end; the functions of Impl take none. A
// thread that closes the gate therefore has exclusive use. take_snapshot() holds snapshots_mutex_ instead of
// a pass, because it may take long and resets must not wait for it. The database is replaced only with the
// gate closed and snapshots_mutex_ held, so either of the two is enough to use it. While there is no
// database, the gate stays closed.
//
// Locks within the gate, in the order in which they are taken:
//
//   table lock      shared by commits to the table; exclusive to create, empty or delete it
//   partition lock  exclusive for each commit to the partition
//
// Readers take neither and see snapshots. The locks of several tables are taken in the order of their
// indexes.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/catalog_cache.h"
#include "storage/clock.h"
#include "storage/database.h"
#include "storage/format/catalog_codec.h"
#include "storage/format/key_codec.h"
#include "storage/format/snapshot_description.h"
#include "storage/gate.h"
#include "storage/recovery.h"
#include "storage/table_lock.h"
#include "storage/table_store.h"

namespace rocktable {

class TableStore::Impl {
 public:
  explicit Impl(const StoreOptions& options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Gate& gate() const { return gate_; }

  Result<void> create_table(const TableName& name);
  std::optional<TableRow> find_table(const TableName& name) const;
  std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                   const std::function<bool(const Table&)>& visit) const;
  Result<std::string> signed_identifiers(const TableName& name) const;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document);
  std::optional<std::string> read_document(std::string_view key) const;
  void put_document(std::string_view key, std::string_view document);
  Result<bool> get(const TableName& name, const EntityKey& key,
                   const std::function<void(const EntityView&)>& visit, RequestStats& stats) const;
  Result<std::optional<EntityKey>> scan(const TableName& name, const KeyRanges& ranges, int page_size,
                                        ScanDeadline deadline,
                                        const std::function<bool(const EntityView&)>& visit,
                                        RequestStats& stats, const Filter* filter,
                                        const std::function<bool()>& is_full) const;
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                std::span<const Mutation> writes, RequestStats& stats);

  // --- In reset.cc
  std::map<std::string, std::uint64_t> table_counts() const;
  Result<void> delete_table(const TableName& name);
  Result<void> reset_table(const TableName& name);
  void reset_account(std::string_view account);
  void reset();  // closes the gate itself

  // --- In account_clone.cc
  Result<AccountClone> clone_account(std::string_view from, std::string_view to);

  // --- In seeding.cc
  bool is_empty() const;
  Result<SeedCount> seed(const std::vector<SeedTable>& tables);

  // --- In contents_id.cc
  std::string contents_id() const;

  // --- In snapshots.cc: need no pass of the gate
  Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace);
  std::vector<SnapshotInfo> snapshots() const;
  std::uint64_t count_tables(std::uint64_t most) const;
  Result<void> delete_snapshot(std::string_view name);

  // --- In restore.cc
  Result<void> restore_snapshot(std::string_view name);  // closes the gate itself
  std::optional<std::string> unavailable() const { return recovery_.reason(); }

 private:
  struct Previous;
  struct WantedRow;
  struct Template;
  class Erasure;
  class TableLocks;

  // --- The database
  // Throws StoreFault. `create`: creates an empty database if there is none.
  std::unique_ptr<Database> open(const std::string& directory, bool create) const;
  // Opens the database in the store's folder. Throws StoreError.
  std::unique_ptr<Database> open_home(bool create) const;
  void check_format();
  void read_counters();
  void sweep_unfinished_clones();
  std::optional<std::uint64_t> read_number(std::string_view key) const;
  void write(rocksdb::WriteBatch& batch, bool sync = false);
  void write(rocksdb::WriteBatch& batch, const rocksdb::WriteOptions& options);
  bool resume();

  // --- Tables and entities
  // Reads a row from the catalog, without the cache.
  std::optional<TableRow> read_table_row(const std::string& key) const;
  // Calls `visit` with the key and row of each table of an account whose name is in `names` (as in
  // list_tables()), until `visit` returns false.
  void for_each_table(std::string_view account, const KeyRanges& names, const rocksdb::Snapshot* snapshot,
                      const std::function<bool(std::string_view key, TableRow row)>& visit) const;
  bool has_tables(std::string_view account) const;
  bool has_files(const rocksdb::Range& range) const;
  void leave_out_missing(std::vector<WantedRow>& wanted) const;
  std::vector<Previous> read_previous(std::span<const Mutation> writes,
                                      const std::vector<std::string>& keys) const;

  // --- The id of the contents
  void read_contents_id();
  // Adds a new id to the batch that changes the contents of `database`.
  static void put_new_contents_id(const Database& database, rocksdb::WriteBatch& batch);
  // Reads the new id. Call this after that batch is written and `database` is the store's.
  void take_contents_id();

  // --- Clones
  std::optional<Template> read_template(std::string_view account, const rocksdb::Snapshot& snapshot) const;
  TableId begin_clone(std::size_t tables);
  std::uint64_t copy_entities(TableId from, TableId to, const rocksdb::Snapshot& snapshot);
  Result<bool> finish_clone(const Template& source, TableId first, std::string_view to);
  void abandon_clone(TableId first, std::size_t tables);

  // --- Seeds
  class SeedWriter;
  Result<std::uint64_t> fill_table(TableId id, const std::function<std::optional<Entity>()>& next);
  Result<void> finish_seed(const std::vector<SeedTable>& tables, TableId first);
  Result<SeedCount> fill_and_finish(const std::vector<SeedTable>& tables, TableId first);

  // --- Snapshots
  struct Counters {
    std::uint64_t next_table_id;
    DateTime clock_mark;
  };

  void warn(const std::string& sentence) const;
  // New snapshots are made in the first folder.
  std::vector<std::string> snapshot_folders() const;
  // Also true for a dangling link.
  bool is_there(const std::string& path) const;
  // Returns the folder of a snapshot, or nullopt if there is no such snapshot.
  std::optional<std::string> find_snapshot(std::string_view name) const;
  std::optional<SnapshotDescription> describe_snapshot(const std::string& folder) const;
  std::vector<SnapshotFile> list_files(const std::string& folder) const;
  std::string staging_folder() const;
  // Removes a file, a folder with its contents, or a symbolic link itself. Does nothing if the path does not
  // exist.
  void remove_tree(const std::string& path) const;
  // As remove_tree(), but warns instead of throwing.
  void try_to_remove(const std::string& path) const;
  void remove_leftovers() const;
  void keep_folders_out_of_git() const;

  // --- Restoring
  void require_database() const;
  void copy_snapshot(const std::string& folder, const std::string& to) const;
  std::unique_ptr<Database> open_copy(const std::string& folder, const std::string& staged) const;
  Counters carry_counters_to(const Database& next) const;
  void exchange_database(std::unique_ptr<Database> next, const std::string& staged);
  void replace_on_disk(Gate::Closed& alone, std::unique_ptr<Database> next, const std::string& staged);
  void put_back();
  void open_as_it_was();
  void recover();

  rocksdb::DB& db() const { return database_->db(); }
  rocksdb::ColumnFamilyHandle* catalog() const { return database_->catalog(); }
  rocksdb::ColumnFamilyHandle* entities() const { return database_->entities(); }

  TableLock& table_lock(std::string_view table_key) const { return table_locks_[place_of(table_key)]; }
  static std::size_t place_of(std::string_view table_key) {
    return std::hash<std::string_view>()(table_key) % kTableLocks;
  }
  std::mutex& partition_lock(std::string_view partition) const {
    return partition_locks_[std::hash<std::string_view>()(partition) % partition_locks_.size()];
  }

  static constexpr std::chrono::seconds kDrainTime{5};  // for running calls to end
  static constexpr std::chrono::seconds kReopenInterval{1};
  static constexpr std::size_t kTableLocks =
      48;  // ThreadSanitizer supports at most 63 locks held by a thread

  const StoreOptions options_;
  std::unique_ptr<rocksdb::Env> memory_env_;
  rocksdb::Env* env_;
  const std::string home_;       // the folder of the store, without links; prefix of the folders beside it
  const std::string link_home_;  // the link by which the user names home_; empty if there is none
  std::string directory_;        // the folder of the database: home_, except in memory
  // Whether the former store is in the staging folder, after a failed restore.
  bool is_displaced_ = false;
  mutable Gate gate_;
  std::unique_ptr<Database> database_;  // null while the store is not available
  rocksdb::WriteOptions write_options_;
  std::optional<Clock> clock_;
  std::mutex resume_mutex_;
  std::chrono::steady_clock::time_point resume_tried_;
  bool resumed_ = false;
  std::mutex table_id_mutex_;
  std::uint64_t next_table_id_ = 1;   // a batch that uses ids also writes the next id
  std::uint64_t first_table_id_ = 1;  // the first id whose rows may exist; a reset deletes all before
  mutable CatalogCache table_rows_;
  mutable std::atomic<int> long_scans_ = 0;
  mutable std::array<TableLock, kTableLocks> table_locks_;
  mutable std::array<std::mutex, 1024> partition_locks_;
  std::mutex finishing_clones_;  // serializes finish_clone(), so that two clones with one name conflict
  mutable std::mutex snapshots_mutex_;  // held while a snapshot is taken, removed or restored
  mutable std::mutex contents_mutex_;   // guards contents_id_, which is read without a pass of the gate
  std::string contents_id_;
  Recovery recovery_;  // reopens the database after a restore that left none
};

// Holds the exclusive locks of several tables.
class TableStore::Impl::TableLocks {
 public:
  TableLocks(const Impl& store, const std::vector<std::string>& keys);
  ~TableLocks();
  TableLocks(const TableLocks&) = delete;
  TableLocks& operator=(const TableLocks&) = delete;

 private:
  const Impl& store_;
  std::set<std::size_t> places_;
};

// A batch that deletes rows, and frees their disk space after it is written.
class TableStore::Impl::Erasure {
 public:
  explicit Erasure(Impl& store) : store_(store) {}

  rocksdb::WriteBatch& batch() { return batch_; }
  // Deletes all rows from `begin`, before `end`. Rows that are written there concurrently may stay.
  void erase(rocksdb::ColumnFamilyHandle* family, const std::string& begin, const std::string& end);
  // Deletes the entities of the tables of these ids, which are in ascending order.
  void erase_tables(const std::vector<TableId>& ids);
  void write();

 private:
  Impl& store_;
  rocksdb::WriteBatch batch_;
  std::vector<std::pair<std::string, std::string>> ranges_;  // entity ranges deleted by a range tombstone
};

}  // namespace rocktable
