#include "server/access/roles/required_actions.h"

#include <variant>

namespace rocktable {
namespace {

using enum TableAction;

constexpr bool kOfAccount = true;

RequiredActions actions_of_write(const WriteEntity& write) {
  if (write.kind == WriteKind::Delete) return {DeleteEntities};
  if (write.condition.kind == Condition::Kind::None) return {WriteEntities, {AddEntities, UpdateEntities}};  // upserts
  return {WriteEntities, UpdateEntities};
}

// A row for each operation.
struct ActionRows {
  using Row = std::optional<RequiredActions>;

  Row operator()(const CreateTable&) const { return {{WriteTables}}; }
  Row operator()(const QueryTables&) const { return {{ReadTables, {}, kOfAccount}}; }
  Row operator()(const GetTable&) const { return {{ReadTables, {}, kOfAccount}}; }
  Row operator()(const DeleteTable&) const { return {{DeleteTables}}; }
  Row operator()(const InsertEntity&) const { return {{WriteEntities, AddEntities}}; }
  Row operator()(const QueryEntities&) const { return {{ReadEntities}}; }
  Row operator()(const GetEntity&) const { return {{ReadEntities}}; }
  Row operator()(const WriteEntity& write) const { return actions_of_write(write); }
  Row operator()(const Batch&) const { return std::nullopt; }
  Row operator()(const GetServiceProperties&) const { return {{ReadService, {}, kOfAccount}}; }
  Row operator()(const SetServiceProperties&) const { return {{WriteService, {}, kOfAccount}}; }
  Row operator()(const GetServiceStats&) const { return {{ReadService, {}, kOfAccount}}; }
  Row operator()(const GetUserDelegationKey&) const {
    return {{TableAction::GenerateUserDelegationKey, {}, kOfAccount}};
  }
  Row operator()(const GetTableAcl&) const { return {{GetAcl}}; }
  Row operator()(const SetTableAcl&) const { return {{SetAcl}}; }
  Row operator()(const GetTableSubpath&) const { return {{ReadEntities}}; }
  Row operator()(const WriteTableSubpath&) const { return {{WriteEntities}}; }
};

constexpr std::string_view kShortFrom = "tableServices/";

std::string short_names(ActionSet actions) {
  std::string out;
  for (const TableAction action : actions.list()) {
    const std::string_view name = name_of(action);
    out.append(out.empty() ? "" : " and ").append(name.substr(name.find(kShortFrom) + kShortFrom.size()));
  }
  return out;
}

}  // namespace

std::optional<RequiredActions> required_actions(const Operation& operation) {
  return std::visit(ActionRows(), operation);
}

std::string in_words(const RequiredActions& required) {
  const bool data = is_data_action(required.all_of.list().front());
  std::string out = "the " + std::string(data ? "data action " : "action ") + short_names(required.all_of);
  if (!required.or_all_of.empty())
    out += (required.or_all_of.list().size() > 1 ? ", or " : " or ") + short_names(required.or_all_of);
  return out;
}

}  // namespace rocktable
