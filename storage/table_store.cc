#include "storage/table_store.h"

namespace rocktable {

std::optional<std::string> TableStore::unavailable() const { return engine_->unavailable(); }

Result<void> TableStore::create_table(const TableName& name) { return engine_->create_table(name); }

Result<void> TableStore::delete_table(const TableName& name) { return engine_->delete_table(name); }

std::optional<Table> TableStore::get_table(const TableName& name) const { return engine_->get_table(name); }

std::optional<Table> TableStore::list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                             const std::function<bool(const Table&)>& visit) const {
  return engine_->list_tables(account, names, page_size, visit);
}

Result<std::string> TableStore::signed_identifiers(const TableName& name) const {
  return engine_->signed_identifiers(name);
}

Result<void> TableStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  return engine_->set_signed_identifiers(name, document);
}

std::optional<std::string> TableStore::service_properties(std::string_view account) const {
  return engine_->service_properties(account);
}

void TableStore::set_service_properties(std::string_view account, std::string_view document) {
  engine_->set_service_properties(account, document);
}

Result<bool> TableStore::get(const TableName& name, const EntityKey& key,
                             const std::function<void(const EntityView&)>& visit, RequestStats* stats) const {
  RequestStats unwanted;
  return engine_->get(name, key, visit, stats != nullptr ? *stats : unwanted);
}

Result<std::optional<EntityKey>> TableStore::scan(const TableName& name, const KeyRanges& ranges,
                                                  int page_size, ScanDeadline deadline,
                                                  const std::function<bool(const EntityView&)>& visit,
                                                  RequestStats* stats, const Filter* filter,
                                                  const std::function<bool()>& is_full) const {
  RequestStats unwanted;
  return engine_->scan({name, ranges, page_size, deadline, visit, filter, is_full},
                       stats != nullptr ? *stats : unwanted);
}

CommitResult<DateTime> TableStore::commit(const TableName& name, std::string_view partition_key,
                                          std::span<const Mutation> writes, RequestStats* stats) {
  RequestStats unwanted;
  return engine_->commit(name, partition_key, writes, stats != nullptr ? *stats : unwanted);
}

}  // namespace rocktable
