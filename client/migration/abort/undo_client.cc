#include "client/migration/abort/undo_client.h"

#include <algorithm>

namespace rocktable::migration {
namespace {

Properties sorted_by_name(Properties properties) {
  std::sort(properties.begin(), properties.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return properties;
}

}  // namespace

bool same_properties(const Entity& a, const Entity& b) {
  return sorted_by_name(a.properties) == sorted_by_name(b.properties);
}

bool UndoClient::remove(const std::string& table, const Entity& entity) {
  if (!is_dry_run_ && !client_.remove_if_unchanged(table, entity)) return false;
  ++removed_[table];
  return true;
}

bool UndoClient::insert(const std::string& table, const Entity& entity) {
  return is_dry_run_ || client_.insert(table, entity);
}

void UndoClient::delete_table(const std::string& table) {
  if (!is_dry_run_) client_.delete_table(table);
}

std::uint64_t UndoClient::removed(const std::string& table) const {
  const auto found = removed_.find(table);
  return found == removed_.end() ? 0 : found->second;
}

}  // namespace rocktable::migration
