// TableStore: takes the pass of the gate and calls RocksStore.
#include "storage/table_store.h"

#include "storage/rocks_store.h"

namespace rocktable {

TableStore::TableStore(const StoreOptions& options) : store_(std::make_shared<RocksStore>(options)) {}

TableStore::TableStore(std::shared_ptr<RocksStore> store, DateTime as_of)
    : store_(std::move(store)), as_of_(as_of) {}

TableStore::~TableStore() = default;

Result<void> TableStore::create_table(const TableName& name) {
  const Gate::Pass pass(store_->gate());
  return store_->create_table(name);
}

Result<void> TableStore::delete_table(const TableName& name) {
  const Gate::Pass pass(store_->gate());
  return store_->delete_table(name);
}

std::optional<std::string> TableStore::unavailable() const { return store_->unavailable(); }

std::optional<Table> TableStore::get_table(const TableName& name) const {
  const Gate::Pass pass(store_->gate());
  const auto state = store_->past_state(as_of_);
  auto row = store_->find_table(name, state.get());
  if (!row) return std::nullopt;
  return Table{std::move(row->name), row->created};
}

std::optional<Table> TableStore::list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                             const std::function<bool(const Table&)>& visit) const {
  const Gate::Pass pass(store_->gate());
  const auto state = store_->past_state(as_of_);
  return store_->list_tables(account, names, page_size, visit, state.get());
}

Result<std::string> TableStore::signed_identifiers(const TableName& name) const {
  const Gate::Pass pass(store_->gate());
  return store_->signed_identifiers(name);
}

Result<void> TableStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  const Gate::Pass pass(store_->gate());
  return store_->set_signed_identifiers(name, document);
}

std::optional<std::string> TableStore::service_properties(std::string_view account) const {
  const Gate::Pass pass(store_->gate());
  return store_->read_document(encode_properties_key(account));
}

void TableStore::set_service_properties(std::string_view account, std::string_view document) {
  const Gate::Pass pass(store_->gate());
  store_->put_document(encode_properties_key(account), document);
}

Result<bool> TableStore::get(const TableName& name, const EntityKey& key,
                             const std::function<void(const EntityView&)>& visit, RequestStats* stats) const {
  const Gate::Pass pass(store_->gate());
  RequestStats unwanted;
  const auto state = store_->past_state(as_of_);
  return store_->get(name, key, visit, stats != nullptr ? *stats : unwanted, state.get());
}

Result<std::optional<EntityKey>> TableStore::scan(const TableName& name, const KeyRanges& ranges,
                                                  int page_size, ScanDeadline deadline,
                                                  const std::function<bool(const EntityView&)>& visit,
                                                  RequestStats* stats, const Filter* filter,
                                                  const std::function<bool()>& is_full) const {
  const Gate::Pass pass(store_->gate());
  RequestStats unwanted;
  const auto state = store_->past_state(as_of_);
  return store_->scan(name, ranges, page_size, deadline, visit, stats != nullptr ? *stats : unwanted, filter,
                      is_full, state.get());
}

CommitResult<DateTime> TableStore::commit(const TableName& name, std::string_view partition_key,
                                          std::span<const Mutation> writes, RequestStats* stats) {
  const Gate::Pass pass(store_->gate());
  RequestStats unwanted;
  return store_->commit(name, partition_key, writes, stats != nullptr ? *stats : unwanted);
}

void TableStore::keep_past(std::int64_t ticks) { store_->keep_past(ticks); }

TableStore TableStore::as_of(DateTime time) const { return {store_, time}; }

}  // namespace rocktable
