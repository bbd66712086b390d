#include "storage/rocksdb/embedded_store.h"

#include <mutex>
#include <shared_mutex>

#include "storage/format/entity_codec.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/table_scan.h"
#include "storage/stop_watch.h"

namespace rocktable {

std::vector<StoreMetric> EmbeddedStore::metrics() const {
  return {{"rocktable_store_column_bytes", "", "Memory of columns for filters that come again.", false,
           state_.columns_.used()}};
}

// --- Tables and documents ----------------------------------------------------------------------------------

Result<void> EmbeddedStore::create_table(const TableName& name) {
  const Gate::Pass pass(state_.gate());
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(state_.table_lock(key));
  if (state_.find_table(name)) return Error(ErrorCode::TableAlreadyExists);
  const std::lock_guard ids(state_.table_id_mutex_);
  const TableRow row{TableId{state_.next_table_id_++}, state_.clock().next(), std::string(name.table)};
  rocksdb::WriteBatch batch;
  check(batch.Put(state_.catalog(), slice(key), slice(encode_table_row(row))));
  check(batch.Put(state_.catalog(), slice(kNextTableIdKey), slice(encode_number(state_.next_table_id_))));
  state_.write(batch);
  return {};
}

Result<void> EmbeddedStore::delete_table(const TableName& name) {
  const Gate::Pass pass(state_.gate());
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(state_.table_lock(key));
  const auto row = state_.find_table(name);
  if (!row) return Error(ErrorCode::ResourceNotFound);
  EmbeddedState::Erasure erasure(state_);
  check(erasure.batch().Delete(state_.catalog(), slice(key)));
  check(erasure.batch().Delete(state_.catalog(), slice(encode_identifiers_key(row->id))));
  erasure.erase_tables({row->id});
  const CatalogCache::Change change(state_.catalog_cache_, {&key, 1});
  erasure.write();
  return {};
}

std::optional<Table> EmbeddedStore::get_table(const TableName& name) const {
  const Gate::Pass pass(state_.gate());
  auto row = state_.find_table(name);
  if (!row) return std::nullopt;
  return Table{std::move(row->name), row->created};
}

std::optional<Table> EmbeddedStore::list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                                const std::function<bool(const Table&)>& visit) const {
  const Gate::Pass pass(state_.gate());
  int kept = 0;
  std::optional<Table> next;
  state_.for_each_table(account, names, nullptr, [&](std::string_view, TableRow row) {
    Table table{std::move(row.name), row.created};
    if (kept == page_size) {
      next = std::move(table);
      return false;
    }
    if (visit(table)) ++kept;
    return true;
  });
  return next;
}

Result<std::string> EmbeddedStore::signed_identifiers(const TableName& name) const {
  const Gate::Pass pass(state_.gate());
  // If the table is emptied concurrently, its document moves to the new id. Then look again.
  for (std::optional<TableRow> before;;) {
    const auto table = state_.find_table(name);
    if (!table) return Error(ErrorCode::TableNotFound);
    if (auto document = state_.read_document(encode_identifiers_key(table->id))) return std::move(*document);
    if (before && before->id == table->id) return std::string();
    before = table;
  }
}

Result<void> EmbeddedStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  const Gate::Pass pass(state_.gate());
  const std::shared_lock lock(state_.table_lock(encode_table_key(name.account, name.table)));
  const auto table = state_.find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  state_.put_document(encode_identifiers_key(table->id), document);
  return {};
}

std::optional<std::string> EmbeddedStore::service_properties(std::string_view account) const {
  const Gate::Pass pass(state_.gate());
  return state_.read_document(encode_properties_key(account));
}

void EmbeddedStore::set_service_properties(std::string_view account, std::string_view document) {
  const Gate::Pass pass(state_.gate());
  state_.put_document(encode_properties_key(account), document);
}

// --- Reading entities -------------------------------------------------------------------------------------

Result<bool> EmbeddedStore::get(const TableName& name, const EntityKey& key,
                                const std::function<void(const EntityView&)>& visit, RequestStats& stats) const {
  const Gate::Pass pass(state_.gate());
  const StopWatch watch(stats.storage_time);
  disable_perf_counters();
  const auto table = state_.find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  const std::string encoded = encode_entity_key(table->id, key.partition_key, key.row_key);
  rocksdb::PinnableSlice record;
  ++stats.ranges;
  const auto status = state_.db().Get({}, state_.entities(), slice(encoded), &record);
  if (status.IsNotFound()) {
    if (!state_.find_table(name)) return Error(ErrorCode::TableNotFound);  // the table was deleted meanwhile
    return false;
  }
  check(status);
  ++stats.entities_scanned;
  ++stats.entities_returned;
  stats.bytes_read += encoded.size() + record.size();
  thread_local std::vector<PropertyView> properties;  // keeps its memory
  const DateTime timestamp = decode_entity(view(record), properties);
  visit({key.partition_key, key.row_key, timestamp, properties});
  return true;
}

Result<std::optional<EntityKey>> EmbeddedStore::scan(const ScanArguments& scan, RequestStats& stats) const {
  const Gate::Pass pass(state_.gate());
  const StopWatch watch(stats.storage_time);
  const auto table = state_.find_table(scan.table);
  if (!table) return Error(ErrorCode::TableNotFound);
  const auto scanned_before = stats.entities_scanned;
  const std::function<bool()> table_exists = [&] {
    const auto now = state_.find_table(scan.table);
    return now && now->id == table->id;
  };
  auto resume = scan_table({state_.db(), state_.entities(), state_.long_scans_, state_.gate(), state_.columns_},
                           {scan, table->id, table_exists, stats});
  // If the table was deleted meanwhile, rows may be missing from a scan that found nothing.
  const bool found_nothing = resume && !*resume && stats.entities_scanned == scanned_before;
  if ((!resume || found_nothing) && !state_.find_table(scan.table)) return Error(ErrorCode::TableNotFound);
  return resume;
}

std::uint64_t EmbeddedStore::approximate_bytes(const TableName& name, const KeyRanges& ranges) const {
  const Gate::Pass pass(state_.gate());
  const auto table = state_.find_table(name);
  if (!table) return 0;
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  std::uint64_t out = 0;
  for (const KeyRange& range : ranges) {
    const std::string begin = encode_bound(table->id, range.begin);
    const std::string end = range.end ? encode_bound(table->id, *range.end) : encode_table_end(table->id);
    const rocksdb::Range bounds{slice(begin), slice(end)};
    std::uint64_t bytes = 0;
    check(state_.db().GetApproximateSizes(options, state_.entities(), &bounds, 1, &bytes));
    out += bytes;
  }
  return out;
}

}  // namespace rocktable
