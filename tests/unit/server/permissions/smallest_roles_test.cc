// The smallest roles for sets of actions.
#include "server/permissions/smallest_roles.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "server/access/roles/role_document.h"

namespace rocktable::TEST_FILE {
namespace {

using enum TableAction;
using Names = std::vector<std::string>;

TEST_CASE("The smallest built-in roles that suffice") {
  struct {
    ActionSet actions;
    Names roles;
  } cases[] = {
      {{}, {}},
      {ReadEntities, {"Storage Table Data Reader"}},
      {{ReadTables, ReadEntities}, {"Storage Table Data Reader"}},
      {AddEntities, {"Storage Table Data Contributor"}},
      {GenerateUserDelegationKey, {"Storage Table Delegator"}},
      {{GenerateUserDelegationKey, ReadEntities}, {"Storage Table Data Reader", "Storage Table Delegator"}},
      {{GenerateUserDelegationKey, AddEntities}, {"Storage Table Delegator", "Storage Table Data Contributor"}},
      {ReadService, {"Reader"}},
      {{ReadService, DeleteEntities}, {"Storage Table Data Contributor", "Reader"}},
      {SetAcl, {"Storage Account Contributor"}},
      {{WriteService, ReadEntities}, {"Storage Table Data Reader", "Storage Account Contributor"}},
  };
  for (const auto& c : cases) CHECK(smallest_built_in_roles(c.actions) == c.roles);
  // Each set of actions has a solution.
  for (unsigned bits = 1; bits < 1U << kTableActionCount; ++bits) {
    ActionSet actions;
    for (int i = 0; i < kTableActionCount; ++i)
      if ((bits >> i & 1U) != 0) actions |= static_cast<TableAction>(i);
    const Names names = smallest_built_in_roles(actions);
    ActionSet granted;
    for (const Role& role : built_in_roles())
      if (std::find(names.begin(), names.end(), role.name) != names.end()) granted |= role.granted;
    REQUIRE(granted.contains(actions));
  }
}

TEST_CASE("A custom role has exactly the actions, in a form that can be read again") {
  const ActionSet actions{ReadTables, AddEntities, UpdateEntities};
  const auto role = custom_role_of(actions, "R", {"acc1", "t01"});
  const std::string text = role.dump();
  const RoleDocument document = parse_roles(text, "role");
  REQUIRE(document.roles.size() == 1);
  CHECK(document.roles.front().granted == actions);
  CHECK(document.doubts.empty());
  CHECK(parse_role_scope(role.at("AssignableScopes").at(0).get<std::string>()) == RoleScope{"acc1", "t01"});
}

TEST_CASE("Of two ways the narrower one counts") {
  CHECK(narrowest({WriteEntities, AddEntities}) == ActionSet(AddEntities));
  CHECK(narrowest({WriteEntities, {AddEntities, UpdateEntities}}) == ActionSet{AddEntities, UpdateEntities});
  CHECK(narrowest({DeleteEntities}) == ActionSet(DeleteEntities));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
