// Roles as people write them: lines, JSON, scopes, and what is refused.
#include "server/access/roles/role_document.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rocktable::TEST_FILE {
namespace {

const std::string kAlice = "aaaaaaaa-0000-0000-0000-000000000001", kBob = "bbbbbbbb-0000-0000-0000-000000000002";

std::string shown(const RoleDocument& document) {
  std::string out;
  for (const auto& one : document.assignments) {
    out.append(document.shown_identity(one.object_id)).append(": ").append(one.role);
    if (one.scope != RoleScope()) out += " on " + to_string(one.scope);
    out += "\n";
  }
  return out;
}

std::string assignments(const std::string& text) { return shown(parse_roles(text, "roles.txt")); }

std::string error_of(const std::string& text) {
  try {
    parse_roles(text, "roles.txt");
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Lines define identities and assign roles, in any order") {
  CHECK(assignments("\xEF\xBB\xBF# who may do what\r\n"
                    "alice Storage Table Data Contributor orders/Customers   # a scope\r\n"
                    "\t alice\t\"Storage Table Data Reader\"\n"
                    "alice oid=AAAAAAAA-0000-0000-0000-000000000001 tid=" +
                    kBob + "\n\n" + kBob + " StorageTableDelegator orders\n" + kBob +
                    " Owner /subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acc1\n"
                    "alice 76199698-9eea-4c19-bc75-cec21354c6b6") ==
        "alice: Storage Table Data Contributor on orders/customers\n"
        "alice: Storage Table Data Reader\n" +
            kBob + ": Storage Table Delegator on orders\n" + kBob + ": Owner on acc1\n" +
            "alice: Storage Table Data Reader\n");
  CHECK(assignments("") == "");
  CHECK(assignments("# nobody\n") == "");
}

TEST_CASE("JSON has identities, roles and assignments, also as Azure's tools write them") {
  const std::string text = R"({
    "identities": [{"name": "alice", "oid": ")" +
                           kAlice + R"(", "appid": ")" + kBob + R"("}],
    "roles": [{"Name": "Clerk", "Actions": [], "DataActions": ["*/entities/read"]}],
    "assignments": [{"identity": "alice", "role": "clerk", "scope": "orders"},
      {"principalId": ")" + kBob +
                           R"(", "roleDefinitionName": "Owner", "scope": "/", "principalName": "x"},
      {"type": "Microsoft.Authorization/roleAssignments", "properties": {"principalId": ")" +
                           kBob + R"(",
       "roleDefinitionId": "/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7"}}]})";
  const std::string expected = "alice: Clerk on orders\n" + kBob + ": Owner\n" + kBob + ": Reader\n";
  const RoleDocument document = parse_roles(text, "roles.json");
  CHECK(shown(document) == expected);
  CHECK(document.identity_of(kAlice)->app_id == kBob);
  CHECK(shown(parse_roles(to_json(document).dump(), "again")) == expected);
  CHECK(to_json(parse_roles(to_json(document).dump(), "again")) == to_json(document));
}

TEST_CASE("A list of JSON has roles and assignments; a role alone is a list of one") {
  CHECK(assignments(R"([{"principalId": ")" + kBob + R"(", "roleDefinitionName": "R", "scope": "orders/t1"},
                        {"roleName": "R", "permissions": []}])") == kBob + ": R on orders/t1\n");
  CHECK(parse_roles(R"({"name": "R", "actions": ["*"]})", "r").roles.size() == 1);
}

TEST_CASE("A line names a file of roles, which only a file may do") {
  std::vector<std::string> read;
  const auto files = [&](const std::string& name) -> std::string {
    read.push_back(name);
    if (name == "both.json") return R"([{"name": "A", "actions": []}, {"name": "B", "actions": []}])";
    if (name == "my clerk.json") return R"({"name": "Clerk", "actions": [1]})";
    throw std::runtime_error(name + " cannot be read");
  };
  const std::string text = "role both.json\n" + kBob + " b\n";
  CHECK(shown(parse_roles(text, "roles.txt", files)) == kBob + ": B\n");
  CHECK_THROWS_WITH(parse_roles("role none.json", "roles.txt", files), "none.json cannot be read");
  CHECK_THROWS_WITH_AS(parse_roles("role \"my clerk.json\"", "roles.txt", files),
                       doctest::Contains("my clerk.json:1:30: actions[0]: must be"), FileError);
  CHECK(read.size() == 3);
  CHECK(error_of(text) == "roles.txt:1:1: a file cannot be named here: send the roles as JSON");
}

TEST_CASE("What is wrong in lines is told with its line") {
  const auto after_alice = [](const std::string& line) { return error_of("alice oid=" + kAlice + "\n" + line); };
  CHECK(after_alice("alice") == "roles.txt:2:1: `alice` needs a role, or oid=GUID");
  CHECK(after_alice("alice Nothing orders")
            .starts_with("roles.txt:2:1: there is no role `Nothing orders`; there are: Storage Table Data Reader, "));
  CHECK(after_alice("bob Owner") ==
        "roles.txt:2:1: `bob` is neither an oid nor a name that is defined: `bob oid=GUID`");
  CHECK(after_alice("alice \"Owner") == "roles.txt:2:1: the quotes are not closed");
  CHECK(after_alice("alice Owner UPPER").starts_with("roles.txt:2:1: UPPER is not a scope: UPPER is not the name"));
  CHECK(after_alice("alice \"Owner\" a b").starts_with("roles.txt:2:1: a b is not a scope"));
  CHECK(after_alice("alice Owner orders/").starts_with("roles.txt:2:1: orders/ is not a scope: a scope is ACCOUNT"));
  CHECK(after_alice("alice Owner orders/1x") == "roles.txt:2:1: orders/1x is not a scope: 1x is not a table's name");
  CHECK(after_alice("alice Owner /subscriptions/s/providers/x")
            .starts_with("roles.txt:2:1: /subscriptions/s/providers/x is not a scope"));
  CHECK(after_alice("alice Owner /subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acc1/"
                    "blobServices/default")
            .ends_with("is not a scope: it is not one of tables"));
  CHECK(after_alice("alice oid=" + kBob) == "roles.txt:2:1: the identity alice is defined twice");
  CHECK(after_alice("bob oid=" + kAlice) == "roles.txt:2:1: the identities alice and bob have the same oid");
  CHECK(after_alice("bob oid=1") == "roles.txt:2:1: `1` is not a GUID");
  CHECK(after_alice("bob tid=" + kBob) == "roles.txt:2:1: the identity bob needs an oid");
  CHECK(after_alice("bob oid=" + kBob + " oid=" + kBob) == "roles.txt:2:1: oid is given twice");
  CHECK(after_alice("bob oid=" + kBob + " x=y") == "roles.txt:2:1: `x=y` is none of oid=GUID, tid=GUID and appid=GUID");
  CHECK(after_alice("b/b oid=" + kBob).starts_with("roles.txt:2:1: `b/b` cannot be the name of an identity"));
}

TEST_CASE("What is wrong in JSON is told with its place") {
  CHECK(error_of("{").starts_with("roles.txt:1:2: "));
  CHECK(error_of(R"({"role": []})").find("role") != std::string::npos);
  CHECK(error_of(R"({"assignments": [{"identity": "x"}]})").find("an assignment needs a role") != std::string::npos);
  CHECK(error_of(R"({"assignments": [{"role": "Owner"}]})").find("needs an identity") != std::string::npos);
  CHECK(error_of(R"({"assignments": [{"identity": "x", "role": "Owner"}]})")
            .starts_with("roles.txt:1:18: `x` is neither"));
  CHECK(error_of(R"({"roles": [{"name": "R", "actions": []}, {"name": "r", "actions": []}]})")
            .ends_with("the role r is defined twice"));
  CHECK(error_of(R"({"name": "Reader", "actions": []})")
            .ends_with("there is a built-in role Reader; a custom role needs another name"));
}

TEST_CASE("Scopes: accounts, tables, and paths of Azure") {
  const std::string account = "/subscriptions/s/resourceGroups/g/providers/microsoft.storage/storageaccounts/acc1";
  for (const auto& [text, expected] : {std::pair<std::string, std::string>{"acc1", "acc1"},
                                       {"acc1/MyTable", "acc1/mytable"},
                                       {"/", ""},
                                       {"/subscriptions/s", ""},
                                       {"/subscriptions/s/resourceGroups/g/", ""},
                                       {"/providers/Microsoft.Management/managementGroups/m", ""},
                                       {account, "acc1"},
                                       {account + "/tableServices/default", "acc1"},
                                       {account + "/tableServices/default/tables/T01", "acc1/t01"}}) {
    CAPTURE(text);
    CHECK(to_string(parse_role_scope(text)) == expected);
    CHECK(parse_role_scope(azure_path_of(parse_role_scope(text))) == parse_role_scope(text));
  }
  for (const std::string text : {"", "x", "acc1/t1", "acc1/t01/x", "//", "/subscriptions", "/subscriptions//"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_role_scope(text), std::invalid_argument);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
