// The store as request handlers use it: tables, their entities, settings. Its data are in an engine (store_engine.h).
// Calls for test suites (reset, seed, clones, snapshots) are in storage/store_fixtures.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"
#include "odata/filter.h"
#include "odata/key_ranges.h"
#include "storage/mutation.h"
#include "storage/page_rules.h"
#include "storage/request_stats.h"
#include "storage/store_engine.h"
#include "storage/store_types.h"

namespace rocktable {

// All functions are thread-safe. If `stats` is given, the costs of the call are added to it. Disk faults and
// damaged records are thrown (std::runtime_error).
//
// While the store is reset or a snapshot is restored, running calls end first (a long scan at the end of a
// page), and new calls wait. If that takes longer than a moment, new calls throw ServiceException
// (ServerBusy). While the store is not available, all calls throw the same, unless stated otherwise.
class TableStore {
 public:
  // Opens the engine that the options name (storage/engines/). Throws StoreError.
  explicit TableStore(const StoreOptions& options);

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

  // Calls `visit` with the entity, which is valid during the call; it must not call the store. Returns whether
  // the entity exists. Errors: TableNotFound.
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

  // Whether calls wait for another machine.
  bool is_remote() const { return engine_->is_remote(); }

  StoreEngine& engine() const { return *engine_; }

 private:
  std::shared_ptr<StoreEngine> engine_;
};

}  // namespace rocktable
