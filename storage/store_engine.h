// What an engine of the store does. TableStore and StoreFixtures are how others call it; their comments say what each call
// means and which errors it has. storage/rocksdb/ and storage/postgres/ implement this.
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

// The arguments of TableStore::scan().
struct ScanCall {
  const TableName& table;
  const KeyRanges& ranges;
  int page_size;
  ScanDeadline deadline;
  const std::function<bool(const EntityView&)>& visit;
  const Filter* filter;                  // null: none
  const std::function<bool()>& is_full;  // may be empty
};

// Snapshots of the whole store, which not every engine has.
class SnapshotKeeper {
 public:
  virtual ~SnapshotKeeper() = default;
  virtual Result<std::optional<SnapshotInfo>> take_snapshot(std::string_view name, bool replace) = 0;
  virtual std::vector<SnapshotInfo> snapshots() const = 0;
  virtual Result<void> delete_snapshot(std::string_view name) = 0;
  virtual Result<void> restore_snapshot(std::string_view name) = 0;
};

// All functions are thread-safe.
class StoreEngine {
 public:
  virtual ~StoreEngine() = default;

  // Whether calls wait for another machine. If not, a read of an entity takes microseconds.
  virtual bool is_remote() const = 0;
  virtual std::optional<std::string> unavailable() const = 0;

  // --- Tables and documents
  virtual Result<void> create_table(const TableName& name) = 0;
  virtual Result<void> delete_table(const TableName& name) = 0;
  virtual std::optional<Table> get_table(const TableName& name) const = 0;
  virtual std::optional<Table> list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                           const std::function<bool(const Table&)>& visit) const = 0;
  virtual Result<std::string> signed_identifiers(const TableName& name) const = 0;
  virtual Result<void> set_signed_identifiers(const TableName& name, std::string_view document) = 0;
  virtual std::optional<std::string> service_properties(std::string_view account) const = 0;
  virtual void set_service_properties(std::string_view account, std::string_view document) = 0;

  // --- Entities
  virtual Result<bool> get(const TableName& name, const EntityKey& key,
                           const std::function<void(const EntityView&)>& visit,
                           RequestStats& stats) const = 0;
  virtual Result<std::optional<EntityKey>> scan(const ScanCall& call, RequestStats& stats) const = 0;
  virtual CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key,
                                        std::span<const Mutation> writes, RequestStats& stats) = 0;
  // An estimate of what the entities of `ranges` take; 0: no table, or not known.
  virtual std::uint64_t approximate_bytes(const TableName& name, const KeyRanges& ranges) const = 0;

  // --- For test suites
  virtual std::uint64_t count_tables(std::uint64_t most) const = 0;
  virtual std::map<std::string, std::uint64_t> table_counts() const = 0;
  virtual std::string contents_id() const = 0;
  virtual Result<SeedCount> seed(const std::vector<SeedTable>& tables) = 0;
  virtual void reset() = 0;
  virtual void reset_account(std::string_view account) = 0;
  virtual Result<void> reset_table(const TableName& name) = 0;
  virtual Result<AccountClone> clone_account(std::string_view from, std::string_view to) = 0;

  // --- What not every engine has; null: this one has not
  virtual SnapshotKeeper* snapshot_keeper() { return nullptr; }
};

}  // namespace rocktable
