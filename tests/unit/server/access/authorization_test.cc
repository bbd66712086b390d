// Authorization: the access that each operation requires, and what account keys, bearer tokens and SAS grant.
#include "server/access/authorization.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

Caller account_sas(std::string resource_types, std::string permissions) {
  return {Caller::Kind::AccountSas, std::move(permissions), std::move(resource_types), {}, std::nullopt};
}

Caller table_sas(std::string permissions, std::optional<KeyRange> keys = std::nullopt) {
  return {Caller::Kind::TableSas, std::move(permissions), {}, "mytable", std::move(keys)};
}

std::string permission(const Caller& caller, const Operation& operation) {
  const auto allowed = authorize(caller, operation, "2019-02-02");
  return allowed ? "yes" : std::string(to_string(allowed.error().code));
}

WriteEntity write(WriteKind kind, Condition::Kind condition, std::string table = "MyTable",
                  EntityKey key = {"p", "r"}) {
  return {kind, std::move(table), std::move(key), {condition, {}}};
}

QueryEntities query(std::string table = "MyTable") { return {std::move(table), {}, plan_query({}), {}, 1000, {}}; }

constexpr auto kNone = Condition::Kind::None;
constexpr auto kAny = Condition::Kind::Any;

struct Needed {
  std::string name;
  Operation operation;
  std::string resource_type;             // empty: no SAS grants it
  std::vector<std::string> permissions;  // each of these suffices
  bool on_entities = false;              // a table SAS can grant it
};

// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas#table-service
const Needed kNeeded[] = {
    {"get service properties", GetServiceProperties{}, "s", {"r"}},
    {"set service properties", SetServiceProperties{}, "s", {"w"}},
    {"get service stats", GetServiceStats{}, "s", {"r"}},
    {"query tables", QueryTables{{}, all_keys(), 1000}, "c", {"l"}},
    {"get table", GetTable{"MyTable"}, "c", {"l"}},
    {"create table", CreateTable{}, "c", {"c", "w"}},
    {"delete table", DeleteTable{"MyTable"}, "c", {"d"}},
    {"get table ACL", GetTableAcl{"MyTable"}, "", {}},
    {"set table ACL", SetTableAcl{"MyTable"}, "", {}},
    {"query entities", query(), "o", {"r"}, true},
    {"get entity", GetEntity{"MyTable", {"p", "r"}, {}}, "o", {"r"}, true},
    {"get behind a table", GetTableSubpath{"MyTable"}, "o", {"r"}, true},
    {"write behind a table", WriteTableSubpath{"MyTable"}, "o", {"a", "u", "d"}, true},
    {"insert entity", InsertEntity{"MyTable"}, "o", {"a"}, true},
    {"update", write(WriteKind::Replace, kAny), "o", {"u"}, true},
    {"update an ETag", write(WriteKind::Replace, Condition::Kind::ETag), "o", {"u"}, true},
    {"merge", write(WriteKind::Merge, kAny), "o", {"u"}, true},
    {"insert or replace", write(WriteKind::Replace, kNone), "o", {"au"}, true},
    {"insert or merge", write(WriteKind::Merge, kNone), "o", {"au"}, true},
    {"delete entity", write(WriteKind::Delete, kAny), "o", {"d"}, true},
};

const std::string kAllLetters = "rwdlacupx";

// Returns whether `letters` contain all letters of one alternative.
bool suffices(const std::string& letters, const std::vector<std::string>& alternatives) {
  for (const auto& needed : alternatives)
    if (needed.find_first_not_of(letters) == std::string::npos) return true;
  return false;
}

TEST_CASE("The owner of the key may do everything") {
  for (const auto& needed : kNeeded) CHECK(permission(Caller(), needed.operation) == "yes");
}

// Recorded from the service: a bearer token grants data and service properties, but access policies are not
// found.
TEST_CASE("A bearer token grants everything except access policies") {
  const Caller bearer_caller{Caller::Kind::Bearer, {}, {}, {}, std::nullopt};
  for (const auto& needed : kNeeded) {
    CAPTURE(needed.name);
    CHECK(permission(bearer_caller, needed.operation) == (needed.resource_type.empty() ? "ResourceNotFound" : "yes"));
  }
}

TEST_CASE("An account SAS grants its permissions on its resource types") {
  for (const auto& needed : kNeeded) {
    CAPTURE(needed.name);
    for (const std::string type : {"s", "c", "o"}) {
      CAPTURE(type);
      for (const std::string& letters :
           {std::string(), std::string("r"), std::string("w"), std::string("d"), std::string("l"), std::string("a"),
            std::string("c"), std::string("u"), std::string("au"), kAllLetters}) {
        CAPTURE(letters);
        const std::string found = permission(account_sas(type, letters), needed.operation);
        if (needed.resource_type.empty()) {
          CHECK(found != "yes");
        } else if (type != needed.resource_type) {
          CHECK(found == "AuthorizationResourceTypeMismatch");
        } else {
          CHECK(found == (suffices(letters, needed.permissions) ? "yes" : "AuthorizationPermissionMismatch"));
        }
      }
    }
    CHECK((permission(account_sas("sco", kAllLetters), needed.operation) == "yes") != needed.resource_type.empty());
  }
}

TEST_CASE("A table SAS grants its permissions on the entities of its table, and nothing else") {
  for (const auto& needed : kNeeded) {
    CAPTURE(needed.name);
    for (const std::string& letters : {std::string(), std::string("r"), std::string("a"), std::string("u"),
                                       std::string("d"), std::string("au"), kAllLetters}) {
      CAPTURE(letters);
      const std::string found = permission(table_sas(letters), needed.operation);
      if (!needed.on_entities) {
        CHECK(found == "AuthorizationFailure");
      } else {
        CHECK(found == (suffices(letters, needed.permissions) ? "yes" : "AuthorizationPermissionMismatch"));
      }
    }
  }
}

TEST_CASE("A table SAS does not open another table") {
  const Caller caller = table_sas("raud");
  for (const Operation& operation :
       {Operation(query("other")), Operation(GetEntity{"other", {}, {}}), Operation(InsertEntity{"MyTable2"}),
        Operation(write(WriteKind::Replace, kNone, "other")), Operation(write(WriteKind::Delete, kAny, "mytabl"))})
    CHECK(permission(caller, operation) == "AuthorizationFailure");
  CHECK(permission(caller, InsertEntity{"MYTABLE"}) == "yes");
}

// Each operation in the batch is authorized separately.
TEST_CASE("A batch itself requires no access") {
  CHECK_FALSE(required_access(Batch{}).has_value());
  CHECK(permission(table_sas(""), Batch{}) == "yes");
  CHECK(permission(account_sas("", ""), Batch{}) == "yes");
}

TEST_CASE("Outside of the key range, reads find nothing and writes are refused") {
  const Caller caller = table_sas("raud", KeyRange{{"b", "5"}, EntityKey{"d", std::string("7\0", 2)}});
  const struct {
    EntityKey key;
    bool in_reach;
  } cases[] = {
      {{"a", "9"}, false}, {{"b", "4"}, false}, {{"b", "5"}, true},   {{"b", "9"}, true}, {{"c", ""}, true},
      {{"d", ""}, true},   {{"d", "7"}, true},  {{"d", "70"}, false}, {{"e", ""}, false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.key.partition_key);
    CAPTURE(c.key.row_key);
    CHECK(may_access(caller, c.key) == c.in_reach);
    CHECK(permission(caller, GetEntity{"MyTable", c.key, {}}) == (c.in_reach ? "yes" : "ResourceNotFound"));
    for (const auto& [kind, condition] :
         {std::pair{WriteKind::Replace, kNone}, std::pair{WriteKind::Replace, kAny}, std::pair{WriteKind::Merge, kNone},
          std::pair{WriteKind::Merge, kAny}, std::pair{WriteKind::Delete, kAny}})
      CHECK(permission(caller, write(kind, condition, "MyTable", c.key)) ==
            (c.in_reach ? "yes" : "AuthorizationFailure"));
  }
  // Operations without a key in the URL are checked later, when their keys are known.
  CHECK(permission(caller, query()) == "yes");
  CHECK(to_string(accessible_ranges(all_keys(), caller)) == "[(b,5) (d,7+))");
  CHECK(permission(caller, InsertEntity{"MyTable"}) == "yes");
  // The permission is checked before the range.
  CHECK(permission(table_sas("a", caller.keys), GetEntity{"MyTable", {"a", ""}, {}}) ==
        "AuthorizationPermissionMismatch");
  CHECK(may_access(table_sas("r"), {"a", ""}));
  CHECK(to_string(accessible_ranges(all_keys(), Caller())) == "[(,) end)");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
