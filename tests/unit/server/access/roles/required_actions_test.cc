// Each operation with each built-in role: the table that says who may do what.
#include "server/access/roles/required_actions.h"

#include <doctest/doctest.h>

#include "server/access/roles/role.h"
#include "server/request/operation_table.h"

namespace rocktable::TEST_FILE {
namespace {

WriteEntity write(WriteKind kind, Condition::Kind condition) { return {kind, "mytable", {"p", "r"}, {condition, {}}}; }

struct RowOfRoles {
  Operation operation;
  // Reader of data, Delegator, Contributor of data, Reader, Account Contributor, Contributor, Owner
  const char* permits;
};

// Source: learn.microsoft.com/azure/role-based-access-control/built-in-roles/storage, and .../rest/api/storageservices/
// authorize-with-azure-active-directory#permissions-for-table-service-operations
const RowOfRoles kRoleRows[] = {
    {GetServiceProperties(), "---RACO"},
    {GetServiceStats(), "---RACO"},
    {SetServiceProperties(), "----ACO"},
    {GetUserDelegationKey(), "-d--ACO"},
    {QueryTables(), "r-cRACO"},
    {GetTable(), "r-cRACO"},
    {CreateTable(), "--c-ACO"},
    {DeleteTable(), "--c-ACO"},
    {GetTableAcl(), "----ACO"},
    {SetTableAcl(), "----ACO"},
    {QueryEntities(), "r-c----"},
    {GetEntity(), "r-c----"},
    {GetTableSubpath(), "r-c----"},
    {InsertEntity(), "--c----"},
    {write(WriteKind::Replace, Condition::Kind::Any), "--c----"},
    {write(WriteKind::Merge, Condition::Kind::ETag), "--c----"},
    {write(WriteKind::Replace, Condition::Kind::None), "--c----"},
    {write(WriteKind::Merge, Condition::Kind::None), "--c----"},
    {write(WriteKind::Delete, Condition::Kind::Any), "--c----"},
    {WriteTableSubpath(), "--c----"},
};

TEST_CASE("Operations and built-in roles") {
  constexpr std::string_view kLetters = "rdcRACO";
  REQUIRE(built_in_roles().size() == kLetters.size());
  std::vector<bool> seen(std::variant_size_v<Operation>);
  for (const auto& [operation, permits] : kRoleRows) {
    CAPTURE(row_of(operation).name);
    seen[operation.index()] = true;
    std::string permitted;
    for (std::size_t i = 0; i < kLetters.size(); ++i)
      permitted += required_actions(operation)->are_in(built_in_roles()[i].granted) ? kLetters[i] : '-';
    CHECK(permitted == permits);
  }
  seen[Operation(Batch()).index()] = true;  // by its parts
  CHECK_FALSE(required_actions(Batch()).has_value());
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK_MESSAGE(seen[i], "no row for operation ", i);
}

TEST_CASE("Writes have two ways: the action write, or that of what they do") {
  using enum TableAction;
  struct {
    Operation operation;
    std::vector<ActionSet> enough;
    ActionSet too_little;
  } cases[] = {
      {InsertEntity(), {WriteEntities, AddEntities}, {UpdateEntities, DeleteEntities, ReadEntities}},
      {write(WriteKind::Merge, Condition::Kind::Any), {WriteEntities, UpdateEntities}, {AddEntities, DeleteEntities}},
      {write(WriteKind::Merge, Condition::Kind::None), {WriteEntities, {AddEntities, UpdateEntities}}, AddEntities},
      {write(WriteKind::Replace, Condition::Kind::None),
       {WriteEntities, {AddEntities, UpdateEntities}},
       UpdateEntities},
      {write(WriteKind::Delete, Condition::Kind::Any), {DeleteEntities}, {WriteEntities, AddEntities, UpdateEntities}},
  };
  for (const auto& c : cases) {
    CAPTURE(in_words(*required_actions(c.operation)));
    for (const ActionSet held : c.enough) CHECK(required_actions(c.operation)->are_in(held));
    CHECK_FALSE(required_actions(c.operation)->are_in(c.too_little));
  }
}

TEST_CASE("Required actions in words") {
  CHECK(in_words(*required_actions(CreateTable())) == "the action tables/write");
  CHECK(in_words(*required_actions(InsertEntity())) ==
        "the data action tables/entities/write or tables/entities/add/action");
  CHECK(in_words(*required_actions(write(WriteKind::Merge, Condition::Kind::None))) ==
        "the data action tables/entities/write, or tables/entities/add/action and tables/entities/update/action");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
