// A store around a store: hands every call on. What is derived from it changes some of them.
#pragma once

#include "storage/store.h"

namespace rocktable {

class StoreWrapper : public Store {
 public:
  // The store must outlive it.
  explicit StoreWrapper(Store& store) : store_(store) {}

  bool is_remote() const override { return store_.is_remote(); }
  std::optional<std::string> unavailable() const override { return store_.unavailable(); }
  void stop_waiting() override { store_.stop_waiting(); }
  std::string kind() const override { return store_.kind(); }
  std::vector<StoreMetric> metrics() const override { return store_.metrics(); }

  Result<void> create_table(const TableName& name) override { return store_.create_table(name); }
  Result<void> delete_table(const TableName& name) override { return store_.delete_table(name); }
  std::optional<Table> get_table(const TableName& name) const override { return store_.get_table(name); }
  std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                   const std::function<bool(const Table&)>& visit) const override {
    return store_.list_tables(account, names, page_size, visit);
  }
  Result<std::string> signed_identifiers(const TableName& name) const override {
    return store_.signed_identifiers(name);
  }
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document) override {
    return store_.set_signed_identifiers(name, document);
  }
  Result<std::string> signed_identifiers_in_force(const TableName& name) const override {
    return store_.signed_identifiers_in_force(name);
  }
  std::optional<std::string> service_properties(std::string_view account) const override {
    return store_.service_properties(account);
  }
  void set_service_properties(std::string_view account, std::string_view document) override {
    store_.set_service_properties(account, document);
  }

  Result<bool> get(const TableName& name, const EntityKey& key, const std::function<void(const EntityView&)>& visit,
                   RequestStats& stats) const override {
    return store_.get(name, key, visit, stats);
  }
  Result<std::optional<EntityKey>> scan(const ScanArguments& scan, RequestStats& stats) const override {
    return store_.scan(scan, stats);
  }
  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key, std::span<const Mutation> writes,
                                RequestStats& stats) override {
    return store_.commit(name, partition_key, writes, stats);
  }
  std::uint64_t approximate_bytes(const TableName& name, const KeyRanges& ranges) const override {
    return store_.approximate_bytes(name, ranges);
  }

  std::uint64_t count_tables(std::uint64_t limit) const override { return store_.count_tables(limit); }
  std::map<std::string, std::uint64_t> table_counts() const override { return store_.table_counts(); }
  std::string contents_id() const override { return store_.contents_id(); }
  Result<SeedCount> seed(const std::vector<SeedTable>& tables) override { return store_.seed(tables); }
  void reset() override { store_.reset(); }
  void reset_account(std::string_view account) override { store_.reset_account(account); }
  Result<void> reset_table(const TableName& name) override { return store_.reset_table(name); }
  Result<AccountClone> clone_account(std::string_view from, std::string_view to) override {
    return store_.clone_account(from, to);
  }
  Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace) override {
    return store_.take_snapshot(name, replace);
  }
  std::vector<SnapshotInfo> snapshots() const override { return store_.snapshots(); }
  Result<void> delete_snapshot(std::string_view name) override { return store_.delete_snapshot(name); }
  Result<void> restore_snapshot(std::string_view name) override { return store_.restore_snapshot(name); }

 protected:
  Store& inner() const { return store_; }

 private:
  Store& store_;
};

}  // namespace rocktable
