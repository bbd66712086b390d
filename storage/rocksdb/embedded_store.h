// The embedded store: tables in a RocksDB database in a folder, or in memory. Each call holds a pass of the gate
// (gate.h). No rocksdb::Status leaves it. commit() is in embedded_commit.cc, the calls for test suites are in
// fixtures/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/rocksdb/embedded_state.h"
#include "storage/store.h"

namespace rocktable {

class EmbeddedStore final : public Store {
 public:
  // Throws StoreError.
  explicit EmbeddedStore(const StoreOptions& options) : state_(options) {}

  bool is_remote() const override { return false; }
  std::optional<std::string> unavailable() const override { return state_.unavailable(); }
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
  struct Previous;
  struct WantedRow;
  class RowKeys;

  void drop_missing(std::vector<WantedRow>& wanted) const;
  std::vector<Previous> read_previous(std::span<const Mutation> writes, const RowKeys& keys) const;

  EmbeddedState state_;
};

}  // namespace rocktable
