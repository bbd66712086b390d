#include "storage/rocksdb/rocks_engine.h"

#include "storage/rocksdb/rocksdb.h"

namespace rocktable {

Result<void> RocksEngine::create_table(const TableName& name) {
  const Gate::Pass pass(store_.gate());
  return store_.create_table(name);
}

Result<void> RocksEngine::delete_table(const TableName& name) {
  const Gate::Pass pass(store_.gate());
  return store_.delete_table(name);
}

std::optional<Table> RocksEngine::get_table(const TableName& name) const {
  const Gate::Pass pass(store_.gate());
  auto row = store_.find_table(name);
  if (!row) return std::nullopt;
  return Table{std::move(row->name), row->created};
}

std::optional<Table> RocksEngine::list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                              const std::function<bool(const Table&)>& visit) const {
  const Gate::Pass pass(store_.gate());
  return store_.list_tables(account, names, page_size, visit);
}

Result<std::string> RocksEngine::signed_identifiers(const TableName& name) const {
  const Gate::Pass pass(store_.gate());
  return store_.signed_identifiers(name);
}

Result<void> RocksEngine::set_signed_identifiers(const TableName& name, std::string_view document) {
  const Gate::Pass pass(store_.gate());
  return store_.set_signed_identifiers(name, document);
}

std::optional<std::string> RocksEngine::service_properties(std::string_view account) const {
  const Gate::Pass pass(store_.gate());
  return store_.read_document(encode_properties_key(account));
}

void RocksEngine::set_service_properties(std::string_view account, std::string_view document) {
  const Gate::Pass pass(store_.gate());
  store_.put_document(encode_properties_key(account), document);
}

Result<bool> RocksEngine::get(const TableName& name, const EntityKey& key,
                              const std::function<void(const EntityView&)>& visit,
                              RequestStats& stats) const {
  const Gate::Pass pass(store_.gate());
  return store_.get(name, key, visit, stats);
}

Result<std::optional<EntityKey>> RocksEngine::scan(const ScanCall& call, RequestStats& stats) const {
  const Gate::Pass pass(store_.gate());
  return store_.scan(call, stats);
}

CommitResult<DateTime> RocksEngine::commit(const TableName& name, std::string_view partition_key,
                                           std::span<const Mutation> writes, RequestStats& stats) {
  const Gate::Pass pass(store_.gate());
  return store_.commit(name, partition_key, writes, stats);
}

std::uint64_t RocksEngine::approximate_bytes(const TableName& name, const KeyRanges& ranges) const {
  const Gate::Pass pass(store_.gate());
  const auto table = store_.find_table(name);
  if (!table) return 0;
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  std::uint64_t out = 0;
  for (const KeyRange& range : ranges) {
    const std::string begin = encode_bound(table->id, range.begin);
    const std::string end = range.end ? encode_bound(table->id, *range.end) : encode_table_end(table->id);
    const rocksdb::Range bounds{slice(begin), slice(end)};
    std::uint64_t bytes = 0;
    check(store_.db().GetApproximateSizes(options, store_.entities(), &bounds, 1, &bytes));
    out += bytes;
  }
  return out;
}

}  // namespace rocktable
