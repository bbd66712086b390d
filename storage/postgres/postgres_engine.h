// The shared engine: tables in a PostgreSQL database. Any number of front ends may use one database. docs/scale.md has the
// reasons.
//
//   rocktable_entities   a row for each entity: key (utf16_key.h), ticks, record (entity_codec.h; its timestamp is not used)
//   rocktable_tables     a row for each table
//   rocktable_dropped    ids of deleted tables whose rows are still to be deleted
//   rocktable_accounts   service properties
//   rocktable_meta       version of the format, id of the contents
//
// Each write checks that the table still has its id, so that none lands in a deleted table.
//
// Ticks of writes come from the clock of the database, and are later than those of the row before. They are in the slot of
// the front end: modulo kSlots, they are its number. So a front end recognizes its own writes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "storage/postgres/busy_rows.h"
#include "storage/postgres/pg_pool.h"
#include "storage/postgres/shared_catalog.h"
#include "storage/store_engine.h"

namespace rocktable {

class PostgresEngine final : public StoreEngine {
 public:
  // Connects, and makes the tables if there are none. Throws StoreError.
  explicit PostgresEngine(const StoreOptions& options);
  ~PostgresEngine() override;
  PostgresEngine(const PostgresEngine&) = delete;
  PostgresEngine& operator=(const PostgresEngine&) = delete;

  bool is_remote() const override { return true; }
  std::optional<std::string> unavailable() const override { return pool_.unavailable(); }

  Result<void> create_table(const TableName& name) override;
  Result<void> delete_table(const TableName& name) override;
  std::optional<Table> get_table(const TableName& name) const override;
  std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                   const std::function<bool(const Table&)>& visit) const override;
  Result<std::string> signed_identifiers(const TableName& name) const override;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document) override;
  std::optional<std::string> service_properties(std::string_view account) const override;
  void set_service_properties(std::string_view account, std::string_view document) override;

  Result<bool> get(const TableName& name, const EntityKey& key,
                   const std::function<void(const EntityView&)>& visit, RequestStats& stats) const override;
  Result<std::optional<EntityKey>> scan(const ScanCall& call, RequestStats& stats) const override;
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                std::span<const Mutation> writes, RequestStats& stats) override;
  std::uint64_t approximate_bytes(const TableName& name, const KeyRanges& ranges) const override;

  std::uint64_t count_tables(std::uint64_t most) const override;
  std::map<std::string, std::uint64_t> table_counts() const override;
  std::string contents_id() const override;
  Result<SeedCount> seed(const std::vector<SeedTable>& tables) override;
  void reset() override;
  void reset_account(std::string_view account) override;
  Result<void> reset_table(const TableName& name) override;
  Result<AccountClone> clone_account(std::string_view from, std::string_view to) override;

 private:
  using Steps = std::vector<PgStep>;
  using Work = std::function<void(PgConnection&)>;
  class Commit;  // postgres_commit.cc

  // Runs `work`, again after a conflict or if a connection is lost without effect. `repeats`: also if the effect is not
  // known. Throws ServiceException (ServerBusy).
  void with_connection(bool repeats, const Work& work) const;
  std::vector<PgRows> run(bool repeats, const Steps& steps) const;

  void require_answers() const;
  // Waits until a process of the server has ended, for a moment. Returns false if it has not, or if that cannot be known.
  bool awaits_end(std::int64_t server_process) const;

  std::shared_ptr<const SharedTable> find_table(const TableName& name) const;
  // For the parameters `offset` and `floor` of writes.
  std::optional<std::int64_t> clock_offset() const;
  std::int64_t floor() const;
  std::int64_t in_slot_after(std::int64_t ticks) const;
  std::int64_t ticks_of(std::int64_t clock) const;
  void note_ticks(std::int64_t ticks) const;
  void begin_ticks_anew();

  void change_contents(Steps steps);
  void keep_house();
  void sweep_dropped(PgConnection& connection);

  const StoreOptions options_;
  mutable PgPool pool_;
  mutable SharedCatalog catalog_;
  mutable BusyRows busy_rows_;
  std::int64_t slot_ = 0;
  mutable std::atomic<std::int64_t> last_ticks_ = 0;
  mutable std::mutex contents_mutex_;
  std::string contents_id_;

  std::mutex stop_mutex_;
  std::condition_variable stop_wanted_;
  bool stopping_ = false;
  std::thread housekeeper_;  // asks whether the database answers; deletes the rows of deleted tables
};

}  // namespace rocktable
