#include "client/report/operation_kind.h"

#include <algorithm>

namespace rocktable {
namespace {

struct KindRow {
  std::string_view operation;
  OperationKind kind;
};

constexpr KindRow kKinds[] = {
    {"InsertEntity", OperationKind::Write},
    {"UpdateEntity", OperationKind::Write},
    {"MergeEntity", OperationKind::Write},
    {"InsertOrReplaceEntity", OperationKind::Write},
    {"InsertOrMergeEntity", OperationKind::Write},
    {"CreateTable", OperationKind::Write},
    {"SetTableAcl", OperationKind::Write},
    {"SetServiceProperties", OperationKind::Write},
    {"Batch", OperationKind::BatchWrite},
    {"GetEntity", OperationKind::Read},
    {"GetTable", OperationKind::Read},
    {"GetTableAcl", OperationKind::Read},
    {"GetServiceProperties", OperationKind::Read},
    {"GetServiceStats", OperationKind::Read},
    {"GetUserDelegationKey", OperationKind::Read},
    {"QueryEntities", OperationKind::Scan},
    {"QueryTables", OperationKind::List},
    {"DeleteEntity", OperationKind::Delete},
    {"DeleteTable", OperationKind::Delete},
};

}  // namespace

std::optional<OperationKind> kind_of_operation(std::string_view operation) {
  const auto* const found = std::ranges::find(kKinds, operation, &KindRow::operation);
  return found == std::end(kKinds) ? std::nullopt : std::optional(found->kind);
}

}  // namespace rocktable
