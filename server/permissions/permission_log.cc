#include "server/permissions/permission_log.h"

#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "base/text.h"
#include "server/access/authorization.h"
#include "server/permissions/smallest_roles.h"

namespace rocktable {
namespace {

void add_letter(std::string& letters, char letter, std::string_view order) {
  std::string out;
  for (const char one : order)
    if (one == letter || letters.find(one) != letters.npos) out += one;
  letters = std::move(out);
}

constexpr std::string_view kOrderOfLetters = "rwdlacu", kOrderOfTypes = "sco";

// A write of a change set as an operation of its own.
Operation operation_of(const Mutation& write, const std::string& table) {
  if (write.kind == WriteKind::Insert) return InsertEntity{table};
  return WriteEntity{write.kind, table, {}, write.condition};
}

const char* name_of_kind(Caller::Kind kind) {
  switch (kind) {
    case Caller::Kind::Bearer:
      return "token";
    case Caller::Kind::AccountSas:
      return "accountSas";
    case Caller::Kind::TableSas:
      return "tableSas";
    case Caller::Kind::DelegationSas:
      return "userDelegationSas";
    case Caller::Kind::Owner:
      break;
  }
  return "owner";
}

}  // namespace

void PermissionLog::note(Needs& needs, const Operation& operation, std::string_view table) {
  if (const auto required = required_actions(operation)) {
    needs.actions |= narrowest(*required);
    needs.of_account |= required->of_account;
  }
  if (const auto access = required_access(operation)) {
    if (!access->any_of.empty()) add_letter(needs.letters, access->any_of.front(), kOrderOfLetters);
    for (const char letter : access->all_of) add_letter(needs.letters, letter, kOrderOfLetters);
    add_letter(needs.resource_types, access->resource_type, kOrderOfTypes);
  }
  if (table.empty()) return;
  std::string name = to_lower_ascii(table);
  if (needs.tables.size() < kMaxTables || needs.tables.contains(name)) {
    needs.tables.insert(std::move(name));
  } else {
    needs.of_account = true;
  }
}

// A batch without writes had a query, or was refused.
void PermissionLog::note_batch(Needs& needs, const RequestEvent& event) {
  const RequestNotes& notes = *event.notes;
  if (notes.writes.empty() && !event.error) note(needs, GetEntity(), notes.table);
  for (const Mutation& write : notes.writes) note(needs, operation_of(write, notes.table), notes.table);
}

void PermissionLog::note_partition(Needs& needs, const std::string& partition_key) {
  if (!needs.first_partition || compare_utf16(partition_key, *needs.first_partition) < 0)
    needs.first_partition = partition_key;
  if (!needs.last_partition || compare_utf16(partition_key, *needs.last_partition) > 0)
    needs.last_partition = partition_key;
}

void PermissionLog::note_keys(Needs& needs, const RequestEvent& event) {
  if (const auto* get = std::get_if<GetEntity>(event.operation)) return note_partition(needs, get->key.partition_key);
  if (const auto* write = std::get_if<WriteEntity>(event.operation))
    return note_partition(needs, write->key.partition_key);
  if (const auto* query = std::get_if<QueryEntities>(event.operation)) {
    const KeyRanges& ranges = query->plan.ranges;
    if (ranges.empty()) return;
    if (!ranges.back().end || ranges.front().begin == EntityKey()) {
      needs.all_partitions = true;
      return;
    }
    note_partition(needs, ranges.front().begin.partition_key);
    std::string last = ranges.back().end->partition_key;
    if (last.ends_with('\0')) last.pop_back();  // an end that includes its partition
    return note_partition(needs, last);
  }
  if (!event.notes->writes.empty()) note_partition(needs, event.notes->partition_key);
}

void PermissionLog::record(const RequestEvent& event) {
  const Caller* const caller = event.caller;
  if (caller == nullptr || caller->kind == Caller::Kind::Owner || event.operation == nullptr || event.notes == nullptr)
    return;
  CallerKey key{std::string(event.account), caller->kind, caller->identity ? caller->identity->object_id : "", ""};
  if (caller->has_sas_of_table()) key.table = caller->table;
  const std::lock_guard lock(mutex_);
  auto found = callers_.find(key);
  if (found == callers_.end()) {
    if (callers_.size() >= kMaxCallers) {
      ++not_counted_;
      return;
    }
    found = callers_.emplace(std::move(key), Needs()).first;
  }
  Needs& needs = found->second;
  ++needs.requests;
  if (std::holds_alternative<Batch>(*event.operation)) {
    note_batch(needs, event);
  } else {
    const std::string_view table = table_of(*event.operation);
    note(needs, *event.operation, table.empty() ? std::string_view(event.notes->table) : table);
  }
  if (caller->kind != Caller::Kind::Bearer) note_keys(needs, event);
}

nlohmann::json PermissionLog::sas_json(const CallerKey& key, const Needs& needs) {
  nlohmann::json out = {{"sp", needs.letters}};
  if (key.kind == Caller::Kind::AccountSas) {
    out["srt"] = needs.resource_types;
    return out;
  }
  out["tn"] = key.table;
  const bool has_range = needs.first_partition && !needs.all_partitions;
  out["spk"] = has_range ? nlohmann::json(*needs.first_partition) : nlohmann::json();
  out["epk"] = has_range ? nlohmann::json(*needs.last_partition) : nlohmann::json();
  return out;
}

nlohmann::json PermissionLog::caller_json(const CallerKey& key, const Needs& needs) const {
  nlohmann::json out = {{"account", key.account},
                        {"kind", name_of_kind(key.kind)},
                        {"requests", needs.requests},
                        {"tables", needs.tables}};
  const auto roles = roles_->document();
  out["identity"] = roles && !key.who.empty() ? std::string(roles->shown_identity(key.who)) : key.who;
  out["oid"] = key.who;
  const bool by_role = key.kind == Caller::Kind::Bearer || key.kind == Caller::Kind::DelegationSas;
  if (key.kind != Caller::Kind::Bearer) out["sas"] = sas_json(key, needs);
  if (!by_role) return out;
  RoleScope scope{key.account, ""};
  if (!needs.of_account && needs.tables.size() == 1) scope.table = *needs.tables.begin();
  out["scope"] = to_string(scope);
  out["builtInRoles"] = smallest_built_in_roles(needs.actions);
  const std::string who(out["identity"].get<std::string>());
  out["customRole"] = custom_role_of(needs.actions, "Tables of " + (who.empty() ? "nobody" : who), scope);
  return out;
}

nlohmann::json PermissionLog::to_json(std::string_view account) const {
  nlohmann::json callers = nlohmann::json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& [key, needs] : callers_)
    if (account.empty() || key.account == account) callers.push_back(caller_json(key, needs));
  return {{"callers", std::move(callers)}, {"notCounted", not_counted_}};
}

void PermissionLog::clear(std::string_view account) {
  const std::lock_guard lock(mutex_);
  std::erase_if(callers_, [&](const auto& one) { return account.empty() || one.first.account == account; });
  if (account.empty()) not_counted_ = 0;
}

}  // namespace rocktable
