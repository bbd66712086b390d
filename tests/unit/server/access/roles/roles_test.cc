// Roles in force: scopes, tenants, strangers, changes.
#include "server/access/roles/roles.h"

#include <doctest/doctest.h>

#include <thread>

namespace rocktable::TEST_FILE {
namespace {

const std::string kAlice = "aaaaaaaa-0000-0000-0000-000000000001", kBob = "bbbbbbbb-0000-0000-0000-000000000002",
                  kTenant = "cccccccc-0000-0000-0000-000000000003";

const RequiredActions kRead{TableAction::ReadEntities}, kCreate{TableAction::WriteTables},
    kList{TableAction::ReadTables, {}, true};

std::string with_alice(const std::string& lines) { return "alice oid=" + kAlice + "\n" + lines; }

TEST_CASE("Without roles there are no grants: a token permits everything") {
  Roles roles;
  CHECK_FALSE(roles.are_on());
  CHECK(roles.grants_of(kAlice, "", "acc") == nullptr);
  roles.replace({});
  CHECK(roles.are_on());
  CHECK_FALSE(roles.grants_of(kAlice, "", "acc")->permit(kRead, "t"));
  roles.remove();
  CHECK(roles.grants_of(kAlice, "", "acc") == nullptr);
}

TEST_CASE("A role counts where it is assigned, and for nobody else") {
  Roles roles;
  const auto permits = [&](const RequiredActions& required, const char* account, const char* table,
                           const std::string& who = kAlice) {
    return roles.grants_of(who, "", account)->permit(required, table);
  };
  SUBCASE("everywhere") {
    roles.replace(parse_roles(with_alice("alice Storage Table Data Contributor"), ""));
    CHECK(permits(kRead, "acc1", "t1x"));
    CHECK(permits(kList, "acc2", ""));
  }
  SUBCASE("an account") {
    roles.replace(parse_roles(with_alice("alice Storage Table Data Contributor acc1"), ""));
    CHECK(permits(kRead, "acc1", "t1x"));
    CHECK(permits(kList, "acc1", ""));
    CHECK_FALSE(permits(kRead, "acc2", "t1x"));
    CHECK_FALSE(permits(kList, "acc2", ""));
    CHECK_FALSE(permits(kCreate, "acc2", ""));
  }
  SUBCASE("a table, of any case") {
    roles.replace(parse_roles(with_alice("alice Storage Table Data Contributor acc1/MyTable"), ""));
    CHECK(permits(kRead, "acc1", "mytABLE"));
    CHECK_FALSE(permits(kRead, "acc1", "mytable2"));
    CHECK_FALSE(permits(kRead, "acc2", "mytable"));
    CHECK_FALSE(permits(kList, "acc1", ""));  // needs the account
    CHECK_FALSE(permits(kList, "acc1", "mytable"));
    CHECK(permits(kCreate, "acc1", ""));  // the body tells which
    CHECK(permits(kCreate, "acc1", "MyTable"));
    CHECK_FALSE(permits(kCreate, "acc1", "other"));
  }
  SUBCASE("several add up") {
    roles.replace(parse_roles(with_alice("alice Storage Table Data Reader acc1/t01\nalice Contributor acc1"), ""));
    CHECK(permits(kRead, "acc1", "t01"));
    CHECK(permits(kCreate, "acc1", "t02"));
    CHECK_FALSE(permits(kRead, "acc1", "t02"));
  }
  roles.replace(parse_roles(with_alice("alice Storage Table Data Contributor"), ""));
  CHECK(permits(kRead, "acc1", "t1x", "AAAAAAAA-0000-0000-0000-000000000001"));
  for (const std::string& stranger : {kBob, std::string(), std::string("alice")})
    CHECK_FALSE(permits(kRead, "acc1", "t1x", stranger));
}

TEST_CASE("The same object id in another tenant is a stranger, if the identity has a tenant") {
  Roles roles;
  roles.replace(parse_roles("alice oid=" + kAlice + " tid=" + kTenant + "\nalice Storage Table Data Reader", ""));
  CHECK(roles.grants_of(kAlice, kTenant, "acc")->permit(kRead, "t"));
  for (const std::string& tenant : {kBob, std::string()}) {
    const auto grants = roles.grants_of(kAlice, tenant, "acc");
    CHECK_FALSE(grants->permit(kRead, "t"));
    CHECK(grants->explain("GetEntity", kRead, "t").find("alice is of the tenant " + kTenant) != std::string::npos);
  }
}

TEST_CASE("An explanation says what is missing, where, who calls, and who has it") {
  Roles roles;
  roles.replace(parse_roles(with_alice("alice Contributor acc1\nalice Storage Table Data Reader acc1/t01"), ""));
  CHECK(roles.grants_of(kAlice, "", "acc1")
            ->explain("InsertEntity", {TableAction::WriteEntities, TableAction::AddEntities}, "t01") ==
        "InsertEntity needs the data action tables/entities/write or tables/entities/add/action on the account 'acc1' "
        "or its table 't01'. alice has Contributor on acc1, Storage Table Data Reader on acc1/t01. Built-in roles with "
        "it: Storage Table Data Contributor.");
  CHECK(roles.grants_of(kBob, "", "acc1")->explain("QueryTables", kList, "") ==
        "QueryTables needs the action tables/read on the account 'acc1', not on a single table. " + kBob +
            " has no role. Built-in roles with it: Storage Table Data Reader, Storage Table Data Contributor, Reader, "
            "Storage Account Contributor, Contributor, Owner.");
  CHECK(roles.grants_of("", "", "acc1")
            ->explain("GetEntity", kRead, "t")
            .ends_with("The token has no claim oid, so that no role can be assigned to it."));
}

TEST_CASE("A change counts for all threads at once, and not for grants that were taken before") {
  Roles roles;
  roles.replace(parse_roles(with_alice("alice Storage Table Data Reader"), ""));
  const auto before = roles.grants_of(kAlice, "", "acc");
  std::jthread([&] { roles.replace({}); }).join();
  CHECK_FALSE(roles.grants_of(kAlice, "", "acc")->permit(kRead, "t"));
  CHECK(before->permit(kRead, "t"));
  // Two sets of roles on one thread do not mix.
  Roles others;
  CHECK(others.grants_of(kAlice, "", "acc") == nullptr);
  CHECK(roles.are_on());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
