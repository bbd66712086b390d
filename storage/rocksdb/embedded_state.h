// What the calls of EmbeddedStore share: the database, rows of the catalog, ids of tables, folders, and the locks.
//
// Each call of EmbeddedStore holds a Gate::Pass from beginning to end; the functions of EmbeddedState take
// none. A thread that closes the gate therefore has exclusive use. Taking a snapshot holds
// snapshots_mutex_ instead of a pass, because it may take long and resets must not wait for it. The database
// is replaced only with the gate closed and snapshots_mutex_ held, so either of the two is enough to use it.
// While there is no database, the gate stays closed.
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
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "odata/key_ranges.h"
#include "storage/rocksdb/concurrency/catalog_cache.h"
#include "storage/rocksdb/concurrency/clock.h"
#include "storage/rocksdb/concurrency/gate.h"
#include "storage/rocksdb/concurrency/recovery.h"
#include "storage/rocksdb/concurrency/table_lock.h"
#include "storage/rocksdb/database/database.h"
#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/format/key_codec.h"
#include "storage/rocksdb/memo/column_memo.h"
#include "storage/store_types.h"

namespace rocktable {

class EmbeddedState {
  friend class EmbeddedStore;

 public:
  explicit EmbeddedState(const StoreOptions& options);
  ~EmbeddedState();
  EmbeddedState(const EmbeddedState&) = delete;
  EmbeddedState& operator=(const EmbeddedState&) = delete;

  // Returns why there is no database, or nullopt if there is one.
  std::optional<std::string> unavailable() const { return recovery_.reason(); }

  // --- The database
  // Throws StoreFault. `create`: creates an empty database if there is none.
  std::unique_ptr<Database> open(const std::string& directory, bool create) const;
  void write(rocksdb::WriteBatch& batch, bool sync = false);
  // Writes without sync, also if the store syncs each commit: a later batch syncs this one as well.
  void write_unsynced(rocksdb::WriteBatch& batch);
  void warn(const std::string& sentence) const;
  const StoreOptions& options() const { return options_; }
  rocksdb::Env* env() const { return env_; }
  Clock& clock() { return *clock_; }
  rocksdb::DB& db() const { return database_->db(); }
  rocksdb::ColumnFamilyHandle* catalog() const { return database_->catalog(); }
  rocksdb::ColumnFamilyHandle* entities() const { return database_->entities(); }

  // --- Rows of the catalog
  std::optional<TableRow> find_table(const TableName& name) const;
  // Reads a row from the catalog, without the cache.
  std::optional<TableRow> read_table_row(const std::string& key) const;
  // Calls `visit` with the key and row of each table of an account whose name is in `names` (as in
  // list_tables()), until `visit` returns false. `snapshot` null: the current state.
  void for_each_table(std::string_view account, const KeyRanges& names, const rocksdb::Snapshot* snapshot,
                      const std::function<bool(std::string_view key, TableRow row)>& visit) const;
  bool has_tables(std::string_view account) const;
  std::optional<std::string> read_document(std::string_view key) const;
  void put_document(std::string_view key, std::string_view document);

  // --- Deleting rows: in erasure.cc
  class Erasure;
  bool has_files(const rocksdb::Range& range) const;

  // --- Reserved tables: in reserved_tables.cc
  // Reserves consecutive table ids and returns the first. Entities written under them belong to no table
  // until a batch adds the tables to the catalog and deletes the row of encode_clone_key(). If that does not
  // happen, the next start deletes the entities.
  TableId reserve_tables(std::size_t tables);
  // Deletes the entities under reserved ids, and the reservation.
  void discard_reserved_tables(TableId first, std::size_t tables);
  // As discard_reserved_tables(), after a failure: ignores faults of the disk, because the next start tries
  // again.
  void try_to_discard_reserved_tables(TableId first, std::size_t tables);

  // --- The id of the contents: in contents_row.cc
  std::string contents_id() const;
  // Adds a new id to the batch that changes the contents of `database`.
  static void put_new_contents_id(const Database& database, rocksdb::WriteBatch& batch);
  // Reads the new id. Call this after that batch is written and `database` is the store's.
  void take_contents_id();

  // --- Folders beside the store: in store_folders.cc
  // New snapshots are made in the first folder.
  std::vector<std::string> snapshot_folders() const;
  std::string staging_folder() const;
  // Makes the staging folder free for another restore, and returns it.
  std::string new_staging_folder();
  // Also true for a dangling link.
  bool path_exists(const std::string& path) const;
  // Removes a file, a folder with its contents, or a symbolic link itself. Does nothing if the path does not
  // exist.
  void remove_tree(const std::string& path) const;
  // As remove_tree(), for a folder to write to. Returns its path, or one beside it, as PATH-2, where the folder cannot
  // be removed: Windows may delete a file later, by its name, if other processes or links have it open. The next
  // start removes what stays.
  std::string make_free(const std::string& path) const;
  // As remove_tree(), but warns instead of throwing.
  void try_to_remove(const std::string& path) const;

  // --- Exchanging the database: in database_exchange.cc
  // Throws ServiceException (ServerBusy) if the store is not available.
  void require_database() const;
  // Replaces the database by `next`, which is open in the folder `staged`. Closes the gate meanwhile. If it
  // throws, the former database is open, or the store is not available. Call this with snapshots_mutex_ held.
  void exchange_database(std::unique_ptr<Database> next, const std::string& staged);

  // --- Locks
  class TableLocks;
  TableLock& table_lock(std::string_view table_key) const { return table_locks_[lock_index(table_key)]; }
  Gate& gate() const { return gate_; }
  // Serializes the last step of clones, so that two clones with one name conflict.
  std::mutex& finishing_clones() { return finishing_clones_; }

  static constexpr std::chrono::seconds kDrainTime{5};  // for running calls to end when the gate closes

 private:
  struct Counters {
    std::uint64_t next_table_id;
    DateTime clock_mark;
  };
  static constexpr std::chrono::seconds kReopenInterval{1};
  // ThreadSanitizer supports at most 63 locks held by a thread.
  static constexpr std::size_t kTableLocks = 48;

  // --- Opening
  // Opens the database in the store's folder. Throws StoreError.
  std::unique_ptr<Database> open_home(bool create) const;
  void check_format();
  void read_counters();
  void read_contents_id();
  void sweep_reserved_tables();
  void remove_leftovers() const;
  void keep_folders_out_of_git() const;
  void write(rocksdb::WriteBatch& batch, const rocksdb::WriteOptions& options);
  bool resume();

  // --- Locks
  std::mutex& partition_lock(std::string_view partition) const {
    return partition_locks_[std::hash<std::string_view>()(partition) % partition_locks_.size()];
  }
  static std::size_t lock_index(std::string_view table_key) {
    return std::hash<std::string_view>()(table_key) % kTableLocks;
  }

  // --- Exchanging the database
  Counters carry_counters_to(const Database& next) const;
  void replace_on_disk(Gate::Closed& alone, std::unique_ptr<Database> next, const std::string& staged);
  void move_former_store_back();
  void reopen_former_store();
  void recover();

  const StoreOptions options_;
  std::unique_ptr<rocksdb::Env> memory_env_;
  rocksdb::Env* env_;
  std::unique_ptr<Database> database_;  // null while the store is not available
  std::optional<Clock> clock_;
  std::mutex table_id_mutex_;
  std::uint64_t next_table_id_ = 1;   // a batch that uses ids also writes the next id
  std::uint64_t first_table_id_ = 1;  // the first id whose rows may exist; a reset deletes all before
  mutable CatalogCache catalog_cache_;
  std::mutex finishing_clones_;
  mutable std::mutex snapshots_mutex_;  // held while a snapshot is taken, removed or restored
  // Whether the former store is in the staging folder, after a failed restore.
  bool is_displaced_ = false;
  const std::string home_;       // the folder of the store, without links; prefix of the folders beside it
  const std::string link_home_;  // the link by which the user names home_; empty if there is none
  std::string directory_;        // the folder of the database: home_, except in memory
  std::string staging_;          // where a restore copies its snapshot to: STORE.restore
  mutable Gate gate_;
  rocksdb::WriteOptions write_options_;
  std::mutex resume_mutex_;
  std::chrono::steady_clock::time_point resume_tried_;
  bool resumed_ = false;
  mutable std::atomic<int> long_scans_ = 0;
  mutable ColumnMemo columns_;
  mutable std::array<TableLock, kTableLocks> table_locks_;
  mutable std::array<std::mutex, 1024> partition_locks_;
  mutable std::mutex contents_mutex_;  // guards contents_id_, which is read without a pass of the gate
  std::string contents_id_;
  Recovery recovery_;  // reopens the database after a restore that left none
};

// Holds the exclusive locks of several tables.
class EmbeddedState::TableLocks {
 public:
  TableLocks(const EmbeddedState& store, const std::vector<std::string>& keys);
  ~TableLocks();
  TableLocks(const TableLocks&) = delete;
  TableLocks& operator=(const TableLocks&) = delete;

 private:
  const EmbeddedState& store_;
  std::set<std::size_t> indexes_;
};

// A batch that deletes rows, and frees their disk space after it is written.
class EmbeddedState::Erasure {
 public:
  explicit Erasure(EmbeddedState& store) : store_(store) {}

  rocksdb::WriteBatch& batch() { return batch_; }
  // Deletes all rows from `begin`, before `end`. Rows that are written there concurrently may stay.
  void erase(rocksdb::ColumnFamilyHandle* family, const std::string& begin, const std::string& end);
  // Deletes the entities of the tables of these ids, which are in ascending order.
  void erase_tables(const std::vector<TableId>& ids);
  void write();

 private:
  EmbeddedState& store_;
  rocksdb::WriteBatch batch_;
  std::vector<std::pair<std::string, std::string>> ranges_;  // entity ranges deleted by a range tombstone
};

}  // namespace rocktable
