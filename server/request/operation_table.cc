#include "server/request/operation_table.h"

#include <array>

namespace rocktable {
namespace {

constexpr bool kReads = false, kWrites = true;

constexpr RequiredAccess kNotGranted{'c', "", ""};  // `any_of` is empty: no signature can grant it

// In the order of the variant.
//
// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas#table-service
constexpr std::array<OperationRow, std::variant_size_v<Operation>> kRows = {{
    {"CreateTable", kWrites, {{'c', "cw", ""}}},
    {"QueryTables", kReads, {{'c', "l", ""}}},
    {"GetTable", kReads, {{'c', "l", ""}}},
    {"DeleteTable", kWrites, {{'c', "d", ""}}},
    {"InsertEntity", kWrites, {{'o', "a", ""}}},
    {"QueryEntities", kReads, {{'o', "r", ""}}},
    {"GetEntity", kReads, {{'o', "r", ""}}},
    {"WriteEntity", kWrites, std::nullopt},  // by its kind and condition
    {"Batch", kWrites, std::nullopt},        // by its parts; it may also hold one query
    {"GetServiceProperties", kReads, {{'s', "r", ""}}},
    {"SetServiceProperties", kWrites, {{'s', "w", ""}}},
    {"GetServiceStats", kReads, {{'s', "r", ""}}},
    {"GetTableAcl", kReads, {kNotGranted}},
    {"SetTableAcl", kWrites, {kNotGranted}},
    {"GetTableSubpath", kReads, {{'o', "r", ""}}},
}};

}  // namespace

const OperationRow& row_of(const Operation& operation) { return kRows[operation.index()]; }

}  // namespace rocktable
