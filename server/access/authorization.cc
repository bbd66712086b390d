#include "server/access/authorization.h"

#include "odata/text.h"

namespace rocktable {
namespace {

// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas#table-service
struct Requirement {
  std::optional<RequiredAccess> operator()(const GetServiceProperties&) const { return {{'s', "r", ""}}; }
  std::optional<RequiredAccess> operator()(const SetServiceProperties&) const { return {{'s', "w", ""}}; }
  std::optional<RequiredAccess> operator()(const GetServiceStats&) const { return {{'s', "r", ""}}; }
  std::optional<RequiredAccess> operator()(const QueryTables&) const { return {{'c', "l", ""}}; }
  std::optional<RequiredAccess> operator()(const GetTable&) const { return {{'c', "l", ""}}; }
  std::optional<RequiredAccess> operator()(const CreateTable&) const { return {{'c', "cw", ""}}; }
  std::optional<RequiredAccess> operator()(const DeleteTable&) const { return {{'c', "d", ""}}; }
  std::optional<RequiredAccess> operator()(const QueryEntities&) const { return {{'o', "r", ""}}; }
  std::optional<RequiredAccess> operator()(const GetEntity&) const { return {{'o', "r", ""}}; }
  std::optional<RequiredAccess> operator()(const InsertEntity&) const { return {{'o', "a", ""}}; }
  std::optional<RequiredAccess> operator()(const WriteEntity& write) const {
    if (write.kind == WriteKind::Delete) return {{'o', "d", ""}};
    if (write.condition.kind != Condition::Kind::None) return {{'o', "u", ""}};
    return {{'o', "", "au"}};  // insert-or-replace, insert-or-merge
  }
  std::optional<RequiredAccess> operator()(const Batch&) const { return std::nullopt; }
  std::optional<RequiredAccess> operator()(const GetBehindTable&) const { return {{'o', "r", ""}}; }
  // No signature grants these: {} and {} is nothing that a caller could have.
  std::optional<RequiredAccess> operator()(const GetTableAcl&) const { return {{'c', "", ""}}; }
  std::optional<RequiredAccess> operator()(const SetTableAcl&) const { return {{'c', "", ""}}; }
};

bool is_access_policy(const Operation& operation) {
  return std::holds_alternative<GetTableAcl>(operation) || std::holds_alternative<SetTableAcl>(operation);
}

}  // namespace

std::optional<RequiredAccess> required_access(const Operation& operation) {
  return std::visit(Requirement(), operation);
}

Result<void> authorize(const Caller& caller, const Operation& operation) {
  if (caller.kind == Caller::Kind::Owner) return {};
  if (caller.kind == Caller::Kind::Bearer && is_access_policy(operation))
    return Error(ErrorCode::ResourceNotFound);  // recorded from the service: as if there were no such table
  if (const auto access = required_access(operation)) {
    if (const auto ok = authorize(caller, *access); !ok) return ok.error();
  }
  const auto table = table_of(operation);
  if (caller.kind == Caller::Kind::TableSas && !table.empty() && !equals_ignoring_case(table, caller.table))
    return Error(ErrorCode::AuthorizationFailure);
  if (const auto* get = std::get_if<GetEntity>(&operation); get != nullptr && !may_touch(caller, get->key))
    return Error(ErrorCode::ResourceNotFound);
  if (const auto* write = std::get_if<WriteEntity>(&operation);
      write != nullptr && !may_touch(caller, write->key))
    return Error(ErrorCode::AuthorizationFailure);
  return {};
}

}  // namespace rocktable
