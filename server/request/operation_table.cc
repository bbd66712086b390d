#include "server/request/operation_table.h"

#include <algorithm>
#include <array>
#include <boost/mp11/algorithm.hpp>
#include <utility>

namespace rocktable {
namespace {

constexpr bool kReads = false, kWrites = true;

constexpr RequiredAccess kNotGranted{'c', "", ""};  // `any_of` is empty: no signature can grant it

using Row = std::pair<std::size_t, OperationRow>;  // with the place of its type in the variant

template <class Type>
constexpr Row row(std::string_view name, bool is_write, std::optional<RequiredAccess> access) {
  return {boost::mp11::mp_find<Operation, Type>::value, {name, is_write, access}};
}

// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas#table-service
constexpr auto kRows = std::to_array<Row>({
    row<CreateTable>("CreateTable", kWrites, RequiredAccess{'c', "cw", ""}),
    row<QueryTables>("QueryTables", kReads, RequiredAccess{'c', "l", ""}),
    row<GetTable>("GetTable", kReads, RequiredAccess{'c', "l", ""}),
    row<DeleteTable>("DeleteTable", kWrites, RequiredAccess{'c', "d", ""}),
    row<InsertEntity>("InsertEntity", kWrites, RequiredAccess{'o', "a", ""}),
    row<QueryEntities>("QueryEntities", kReads, RequiredAccess{'o', "r", ""}),
    row<GetEntity>("GetEntity", kReads, RequiredAccess{'o', "r", ""}),
    row<WriteEntity>("WriteEntity", kWrites, std::nullopt),  // by its kind and condition
    row<Batch>("Batch", kWrites, std::nullopt),              // by its parts; it may also hold one query
    row<GetServiceProperties>("GetServiceProperties", kReads, RequiredAccess{'s', "r", ""}),
    row<SetServiceProperties>("SetServiceProperties", kWrites, RequiredAccess{'s', "w", ""}),
    row<GetServiceStats>("GetServiceStats", kReads, RequiredAccess{'s', "r", ""}),
    row<GetUserDelegationKey>("GetUserDelegationKey", kReads, kNotGranted),
    row<GetTableAcl>("GetTableAcl", kReads, kNotGranted),
    row<SetTableAcl>("SetTableAcl", kWrites, kNotGranted),
    row<GetTableSubpath>("GetTableSubpath", kReads, RequiredAccess{'o', "r", ""}),
    row<WriteTableSubpath>("WriteTableSubpath", kWrites, RequiredAccess{'o', "aud", ""}),
});

constexpr bool rows_follow_variant() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].first != i) return false;
  return kRows.size() == std::variant_size_v<Operation>;
}
// What name_of_write() returns for WriteEntity.
constexpr std::array<std::string_view, 5> kNamesOfWrites = {"UpdateEntity", "MergeEntity", "InsertOrReplaceEntity",
                                                            "InsertOrMergeEntity", "DeleteEntity"};

static_assert(rows_follow_variant());  // without its row, an operation would need no permission

}  // namespace

const OperationRow& row_of(const Operation& operation) { return kRows[operation.index()].second; }

std::string_view name_of_write(WriteKind kind, const Condition& condition) {
  const bool upserts = condition.kind == Condition::Kind::None;
  switch (kind) {
    case WriteKind::Insert:
      return "InsertEntity";
    case WriteKind::Replace:
      return upserts ? "InsertOrReplaceEntity" : "UpdateEntity";
    case WriteKind::Merge:
      return upserts ? "InsertOrMergeEntity" : "MergeEntity";
    case WriteKind::Delete:
      break;
  }
  return "DeleteEntity";
}

bool is_name_of_write(std::string_view name) {
  return std::find(kNamesOfWrites.begin(), kNamesOfWrites.end(), name) != kNamesOfWrites.end();
}

const std::vector<std::string_view>& operation_names() {
  static const auto kNames = [] {
    std::vector<std::string_view> out;
    out.reserve(kRows.size() + kNamesOfWrites.size());
    for (const Row& row : kRows) out.push_back(row.second.name);
    out.insert(out.end(), kNamesOfWrites.begin(), kNamesOfWrites.end());
    return out;
  }();
  return kNames;
}

}  // namespace rocktable
