// The shared store: tables in a PostgreSQL database. Any number of front ends may use one database. docs/scale.md has
// the reasons.
//
//   rocktable_entities   a row for each entity: key (utf16_key.h), ticks, record (entity_codec.h; its timestamp is not
//   used)
//   rocktable_tables     a row for each table
//   rocktable_dropped    ids of deleted tables whose rows are still to be deleted
//   rocktable_accounts   service properties
//   rocktable_meta       version of the format, id of the contents
//
// Each write checks that the table still has its id, so that none lands in a deleted table.
//
// Ticks of writes come from the clock of the database, and are later than those of the row before. They are in the
// slot of the front end: modulo kSlots, they are its number. A row that is deleted and made again by two front ends
// has another ETag then, whatever their clocks. (Unless they have the same number, because a node of Citus was down
// when one of them started.) A front end recognizes its own writes by their marks (entity_rows.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"
#include "base/threads/stoppable_thread.h"
#include "storage/postgres/database/pg_pool.h"
#include "storage/postgres/row_locks.h"
#include "storage/postgres/server_clock.h"
#include "storage/postgres/shared_catalog.h"
#include "storage/postgres/step_groups.h"
#include "storage/postgres/store_schema.h"
#include "storage/store.h"

namespace rocktable {

class PostgresStore final : public Store {
 public:
  // Connects, and makes the tables if there are none. Throws StoreError.
  explicit PostgresStore(const StoreOptions& options);
  ~PostgresStore() override { health_.stop_waiting(); }

  bool is_remote() const override { return true; }
  std::optional<std::string> unavailable() const override { return health_.unavailable(); }
  void stop_waiting() override { health_.stop_waiting(); }
  std::string kind() const override;
  std::vector<StoreMetric> metrics() const override;

  Result<void> create_table(const TableName& name) override;
  Result<void> delete_table(const TableName& name) override;
  std::optional<Table> get_table(const TableName& name) const override;
  std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                   const std::function<bool(const Table&)>& visit) const override;
  Result<std::string> signed_identifiers(const TableName& name) const override;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document) override;
  std::optional<std::string> service_properties(std::string_view account) const override;
  void set_service_properties(std::string_view account, std::string_view document) override;

  Result<bool> get(const TableName& name, const EntityKey& key, const std::function<void(const EntityView&)>& visit,
                   RequestStats& stats) const override;
  Result<std::optional<EntityKey>> scan(const ScanArguments& scan, RequestStats& stats) const override;
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key, std::span<const Mutation> writes,
                                RequestStats& stats) override;
  std::uint64_t approximate_bytes(const TableName& name, const KeyRanges& ranges) const override;

  std::uint64_t count_tables(std::uint64_t limit) const override;
  std::map<std::string, std::uint64_t> table_counts() const override;
  std::string contents_id() const override;
  Result<SeedCount> seed(const std::vector<SeedTable>& tables) override;
  void reset() override;
  void reset_account(std::string_view account) override;
  Result<void> reset_table(const TableName& name) override;
  Result<AccountClone> clone_account(std::string_view from, std::string_view to) override;

  Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace) override;
  std::vector<SnapshotInfo> snapshots() const override;
  Result<void> delete_snapshot(std::string_view name) override;
  Result<void> restore_snapshot(std::string_view name) override;

 private:
  using Steps = std::vector<PgStep>;
  using Work = std::function<void(PgConnection&)>;
  class Commit;  // postgres_commit.cc

  // What may be done twice.
  enum class Repeats {
    Read,
    Write,    // writes the same again
    Nothing,  // a write
  };
  // Runs `work`, again after a conflict or if a connection is lost, until the deadline. Throws ServiceException
  // (ServerBusy): there is no effect; PgConnectionLost, std::runtime_error: the effect is not known.
  void with_connection(Repeats repeats, PgDeadline deadline, const Work& work) const;
  std::vector<PgRows> run(Repeats repeats, PgDeadline deadline, const Steps& steps) const;
  // A write of the catalog, once.
  std::vector<PgRows> run_once(const PgStep& step) const;
  std::vector<PgRows> run(Repeats repeats, const Steps& steps) const { return run(repeats, pool_.deadline(), steps); }

  // Ends what the server does for a connection. Returns false if it has not ended by the deadline, or if that cannot be
  // known.
  bool end_work(const PgBackend& backend, PgDeadline deadline) const;
  void end_late_work(const PgBackend& backend) const;

  std::shared_ptr<const SharedTable> find_table(const TableName& name) const;
  // For the parameters `offset` and `floor` of writes.
  std::optional<std::int64_t> clock_offset() const;
  std::int64_t floor() const;
  std::int64_t in_slot_after(std::int64_t ticks) const;
  std::int64_t ticks_of(std::int64_t clock) const;
  void note_ticks(std::int64_t ticks) const;
  void restart_ticks();

  std::vector<PgRows> change_contents(Steps steps);
  void watch_database();
  void sweep_dropped(const StopSignal& stop);

  const StoreOptions options_;
  mutable PgHealth health_;
  const SchemaState schema_;
  mutable PgPool pool_;
  mutable SharedCatalog catalog_;
  mutable RowLocks row_locks_;
  mutable StepGroups reads_, writes_;  // of one entity
  const std::int64_t slot_;
  mutable std::atomic<std::int64_t> last_ticks_ = 0;
  mutable Mutex contents_mutex_;
  std::string contents_id_;

  ServerClock server_clock_;                // of the thread `watcher_`, as the next
  std::unique_ptr<PgConnection> watching_;  // its connection
  StoppableThread watcher_;                 // asks whether the database answers
  StoppableThread sweeper_;                 // deletes the rows of deleted tables
};

}  // namespace rocktable
