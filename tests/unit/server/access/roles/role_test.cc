// Roles: patterns of actions, the built-in ones, and the three forms of Azure's JSON.
#include "server/access/roles/role.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

constexpr std::string_view kService = "Microsoft.Storage/storageAccounts/tableServices/";

// The short names of actions: `tables/read, tables/entities/read`.
std::string shown(ActionSet actions) {
  std::string out;
  for (const TableAction action : actions.list())
    out.append(out.empty() ? "" : ", ").append(name_of(action).substr(kService.size()));
  return out;
}

Role role_of(const std::string& text) {
  const JsonDocument document(text, "role.json");
  return read_role(document.root());
}

std::string error_of(const std::string& text) {
  try {
    role_of(text);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A pattern of actions: * is any run of characters, case does not matter") {
  const auto actions = [](std::string_view pattern) { return shown(matching_actions(pattern, false)); };
  CHECK(matching_actions("*", false).list().size() == 8);
  CHECK(matching_actions("*", true).list().size() == 5);
  CHECK(actions("*/read") == "read, tables/read");
  CHECK(actions("microsoft.STORAGE/storageaccounts/tableservices/tables/READ") == "tables/read");
  CHECK(actions("Microsoft.Storage/*/tables/*e") == "tables/write, tables/delete");
  CHECK(actions("Microsoft.Storage/storageAccounts/tableServices/**") == actions("*"));
  CHECK(actions("Microsoft.Storage/storageAccounts/tableServices/tables") == "");
  CHECK(actions("Microsoft.Storage/storageAccounts/tableServices/tables/reads") == "");
  CHECK(actions("") == "");
  CHECK(shown(matching_actions("*/tables/entities/*/action", true)) ==
        "tables/entities/add/action, tables/entities/update/action");
}

TEST_CASE("Built-in roles have the actions of Azure") {
  const auto granted = [](std::string_view name) {
    for (const Role& role : built_in_roles())
      if (means_role(name, role)) return shown(role.granted);
    return std::string("no such role");
  };
  const std::string all_actions =
      "read, write, generateUserDelegationKey/action, tables/read, tables/write, tables/delete, "
      "tables/getAcl/action, tables/setAcl/action";
  CHECK(granted("Storage Table Data Reader") == "tables/read, tables/entities/read");
  CHECK(granted("storage-table-data-contributor") ==
        "tables/read, tables/write, tables/delete, tables/entities/read, tables/entities/write, "
        "tables/entities/delete, tables/entities/add/action, tables/entities/update/action");
  CHECK(granted("StorageTableDelegator") == "generateUserDelegationKey/action");
  CHECK(granted("17D1049B-9A84-46FB-8F53-869881C3D3AB") == all_actions);
  CHECK(granted("/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c") ==
        all_actions);
  CHECK(granted("OWNER") == all_actions);
  CHECK(granted("reader") == "read, tables/read");
  CHECK(granted("Storage Table Data") == "no such role");
}

TEST_CASE("The three forms of a custom role say the same") {
  const std::string forms[] = {
      R"({"name": "11111111-2222-3333-4444-555555555555", "type": "Microsoft.Authorization/roleDefinitions",
          "properties": {"roleName": "Clerk", "type": "CustomRole", "description": "", "assignableScopes": ["/"],
            "permissions": [{"actions": ["*/tables/read"], "notActions": [],
              "dataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/*"],
              "notDataActions": ["*/delete"]}]}})",
      R"({"Name": "Clerk", "Id": "11111111-2222-3333-4444-555555555555", "IsCustom": true, "Description": "",
          "Actions": ["*/tables/read"], "NotActions": [],
          "DataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/*"],
          "NotDataActions": ["*/delete"], "AssignableScopes": ["/subscriptions/x"]})",
      R"({"id": "/subscriptions/x/providers/Microsoft.Authorization/roleDefinitions/11111111-2222-3333-4444-555555555555",
          "name": "Clerk", "actions": ["*/tables/read"], "notActions": null,
          "dataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/*"],
          "notDataActions": ["*/delete"]})",
      R"({"roleName": "Clerk", "name": "11111111-2222-3333-4444-555555555555",
          "permissions": [{"actions": ["*/tables/read"],
              "dataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/*"],
              "notDataActions": ["*/delete"]}]})"};
  for (const auto& form : forms) {
    CAPTURE(form);
    const Role role = role_of(form);
    CHECK(role.name == "Clerk");
    CHECK(role.id == "11111111-2222-3333-4444-555555555555");
    CHECK(shown(role.granted) ==
          "tables/read, tables/entities/read, tables/entities/write, tables/entities/add/action, "
          "tables/entities/update/action");
    CHECK(doubts_about(role).empty());
  }
}

TEST_CASE("A not-list takes away from its own block, blocks add up") {
  const Role role = role_of(R"({"roleName": "R", "permissions": [
      {"actions": ["*"], "notActions": ["*/write", "*/delete", "*/action"]}, {"actions": ["*/tables/write"]}]})");
  CHECK(shown(role.granted) == "read, tables/read, tables/write");
}

TEST_CASE("What is no role is refused with its place") {
  CHECK(error_of("[]") == "role.json:1:1: must be an object, not an array");
  CHECK(error_of(R"({"name": "R"})") == "role.json:1:1: a role needs permissions, or actions and dataActions");
  CHECK(error_of(R"({"actions": []})") == "role.json:1:1: a role needs a name (roleName or Name) of at most 512 bytes");
  CHECK(error_of(R"({"name": "R", "actions": [1]})").starts_with("role.json:1:27: actions[0]: must be"));
  CHECK(error_of(R"({"name": "R", "dataActions": "x"})").starts_with("role.json:1:30: dataActions: must be"));
  CHECK(error_of(R"({"name": "R", "permissions": [[]]})").starts_with("role.json:1:31: permissions[0]: must be"));
}

TEST_CASE("Usual mistakes in custom roles are told") {
  const Role role = role_of(R"({"name": "R",
      "actions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/read", "Microsoft.Compute/x"],
      "dataActions": ["Microsoft.Storage/storageAccounts/tableServices/tables/entities/delete/action",
                      "Microsoft.Storage/storageAccounts/tableServices/tables/read", "*"]})");
  CHECK(
      doubts_about(role) ==
      std::vector<std::string>{
          "the role R has Microsoft.Storage/storageAccounts/tableServices/tables/entities/read in actions; it belongs "
          "in dataActions",
          "the role R has Microsoft.Storage/storageAccounts/tableServices/tables/entities/delete/action, which is no "
          "action of the table service",
          "the role R has Microsoft.Storage/storageAccounts/tableServices/tables/read in dataActions; it belongs in "
          "actions"});
}

}  // namespace
}  // namespace rocktable::TEST_FILE
