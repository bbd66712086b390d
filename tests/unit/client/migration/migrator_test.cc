// Migrator against a running server. The first migration is that of the article that introduced
// AzureTableStorageMigrator.
#include "client/migration/migrator.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/connection_string.h"
#include "odata/protocol/development_account.h"
#include "tests/unit/server/running_server.h"
#include "tests/unit/storage/store.h"

namespace rocktable::migration::TEST_FILE {
namespace {

const std::string kAccount(kDevelopmentAccount);

std::string keys_in(RunningServer& server, std::string_view table) {
  std::string out;
  for (const auto& entity : entities_in(server.store(), {kAccount, table}))
    out += entity.key.partition_key + "/" + entity.key.row_key + " ";
  return out;
}

Entity foo(std::string row_key, std::string name) {
  return {{"pk", std::move(row_key)}, {}, {{"Name", std::move(name)}}};
}

WriteEntities write(WriteMode mode, std::string table, Entity entity) {
  return {.mode = mode, .table = std::move(table), .entities = {std::move(entity)}};
}

DeleteEntities remove(std::string table, EntitySelection which) { return {std::move(table), std::move(which)}; }

Migration migration_of(std::int64_t id, std::vector<Step> steps) {
  return {id, "1." + std::to_string(id), "a description", std::move(steps), std::to_string(id) + ".json"};
}

const std::vector<Migration> kFirst = {migration_of(1, {
                                                           CreateTable{"table1"},
                                                           CreateTable{"table2"},
                                                           write(WriteMode::Insert, "table1", foo("1", "foo")),
                                                           write(WriteMode::Insert, "table1", foo("2", "foo2")),
                                                           write(WriteMode::Insert, "table2", foo("1", "foo")),
                                                       })};

Migrator migrator_for(const RunningServer& server, MigratorOptions options = {}) {
  return Migrator(parse_connection_string(server.connection_string()), std::move(options));
}

TEST_CASE("The article's migration is applied once, by the first migrator that runs") {
  RunningServer server;
  Migrator migrator = migrator_for(server), other = migrator_for(server);
  CHECK(migrator.up(kFirst) == 1);
  const auto history = entities_in(server.store(), {kAccount, "versionData"});
  CHECK(migrator.up(kFirst) == 0);
  CHECK(other.up(kFirst) == 0);
  CHECK(keys_in(server, "table1") == "pk/1 pk/2 ");
  CHECK(keys_in(server, "table2") == "pk/1 ");
  CHECK(entities_in(server.store(), {kAccount, "versionData"}) == history);
  CHECK(keys_in(server, "versionData") == "versionData/1 ");
}

TEST_CASE("A migration that changed since it was applied is an error") {
  RunningServer server;
  Migrator migrator = migrator_for(server);
  migrator.up(kFirst);
  CHECK_THROWS_WITH_AS(migrator.up({migration_of(1, {CreateTable{"table1"}})}),
                       "migration 1 (1.json) was edited after it was applied or begun: it was applied with another "
                       "content; restore its original content, and put changes into a new migration",
                       std::runtime_error);
}

TEST_CASE("Every kind of step does what its name says") {
  RunningServer server;
  Migrator migrator = migrator_for(server);
  WriteEntities create_and_insert = write(WriteMode::Insert, "one", foo("1", "b"));
  create_and_insert.create_table = true;
  WriteEntities insert_if_absent = write(WriteMode::Insert, "one", foo("1", "c"));
  insert_if_absent.if_absent = true;
  Rekey rekey{.table = "one", .which = {}, .partition_key = {}, .row_key = {}};
  rekey.row_key = KeyTemplate::parse("{Title}_{RowKey}");
  REQUIRE(migrator.up({migration_of(
              1, {create_and_insert, insert_if_absent, write(WriteMode::Replace, "one", foo("2", "a")),
                  write(WriteMode::Merge, "one", {{"pk", "2"}, {}, {{"Age", std::int32_t{7}}}}),
                  write(WriteMode::Insert, "one", {{"pk2", "1"}, {}, {}}),
                  write(WriteMode::Insert, "one", {{"pk3", "1"}, {}, {}}),
                  write(WriteMode::Insert, "one", {{"pk3", "2"}, {}, {{"Old", true}}}), remove("one", {"pk2", {}, {}}),
                  remove("one", {"pk3", "1", {}}), remove("one", {{}, {}, "Old eq true"}),
                  ChangeProperty{"one", std::nullopt, RenameProperty{"Name", "Title"}},
                  ChangeProperty{"one", "pk", AddProperty{"Age", std::int32_t{1}}}, rekey, CopyTable{"one", "two"},
                  ClearTable{"one"}, RenameTable{"two", "three", true}, CreateTable{"four"}, DeleteTable{"four"}})}) ==
          1);
  CHECK(keys_in(server, "one").empty());
  const auto left = entities_in(server.store(), {kAccount, "three"});
  REQUIRE(left.size() == 2);
  CHECK(left[0].key == EntityKey{"pk", "a_2"});
  CHECK(left[1].key == EntityKey{"pk", "b_1"});
  const auto property = [](const Entity& entity, std::string_view name) {
    for (const auto& [known, value] : entity.properties)
      if (known == name) return to_string(view_of(value));
    return std::string();
  };
  CHECK(property(left[0], "Age") == "7");
  CHECK(property(left[1], "Age") == "1");
  CHECK(property(left[1], "Title") == "'b'");
  CHECK_FALSE(server.store().get_table({kAccount, "two"}));
  CHECK_FALSE(server.store().get_table({kAccount, "four"}));
}

TEST_CASE("The error names the failed step, and the next attempt resumes there") {
  RunningServer server;
  Migrator migrator = migrator_for(server);
  const std::vector<Migration> migrations = {
      migration_of(5, {CreateTable{"one"}, write(WriteMode::Insert, "absent", foo("1", "a"))})};
  try {
    migrator.up(migrations);
    FAIL("there is no such table");
  } catch (const std::runtime_error& error) {
    const std::string told = error.what();
    CAPTURE(told);
    CHECK(told.starts_with("migration 5 (5.json), step 2 of 2 (insert 1 entity into absent): "));
    CHECK(told.find("TableNotFound") != std::string::npos);
  }
  REQUIRE(migrator.status({}).size() == 1);  // its file is missing
  CHECK(migrator.status({})[0].state == MigrationState::Begun);
  REQUIRE(migrator.status(migrations).size() == 1);
  CHECK(migrator.status(migrations)[0].state == MigrationState::Begun);
  CHECK(migrator.status(migrations)[0].step == 1);
  REQUIRE(server.store().create_table({kAccount, "absent"}).has_value());
  CHECK(migrator.up(migrations) == 1);
  CHECK(keys_in(server, "absent") == "pk/1 ");
  REQUIRE(migrator.status({}).size() == 1);
  CHECK(migrator.status({})[0].state == MigrationState::Applied);
}

// Runs a migration with one step that lasts until another runner has given up after several leases. Returns
// whether that runner was kept out and the lock was renewed meanwhile.
bool a_long_step_keeps_the_lock() {
  constexpr std::chrono::milliseconds kLease{300};
  RunningServer server;
  std::set<std::string> seen;
  bool kept_out = false;
  const auto look_at_lock = [&] {
    for (const auto& entity : entities_in(server.store(), {kAccount, "versionData"}))
      for (const auto& [name, value] : entity.properties)
        if (name == "Until") seen.insert(to_string(view_of(value)));
  };
  const auto another_runner = [&] {
    look_at_lock();
    Migrator other =
        migrator_for(server, {.http = {}, .lock = {.max_wait = 5 * kLease, .lease = kLease}, .listener = {}});
    try {
      other.up({migration_of(2, {CreateTable{"two"}})});
    } catch (const std::runtime_error& error) {
      kept_out = std::string_view(error.what()).starts_with("another runner is migrating ");
    }
    look_at_lock();
  };
  MigratorOptions options{.http = {}, .lock = {.lease = kLease}, .listener = {}};
  options.listener.on_step = [&](const Migration&, std::size_t) { std::thread(another_runner).join(); };
  Migrator migrator = migrator_for(server, options);
  try {
    migrator.up({migration_of(1, {CreateTable{"one"}})});
  } catch (const std::runtime_error&) {
    return false;
  }
  return kept_out && seen.size() == 2;
}

// Retries: the lock rightly expires if the machine does not schedule the renewal thread for a whole lease.
TEST_CASE("The lock is renewed during a step that takes several leases") {
  bool held = false;
  for (int attempt = 0; attempt < 5 && !held; ++attempt) held = a_long_step_keeps_the_lock();
  CHECK(held);
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
