// Migrations defined in code, as in the article that introduced AzureTableStorageMigrator, against a running
// server.
#include "client/migration/migrator.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/unit/server/running_server.h"
#include "tests/unit/storage/store.h"

namespace rocktable::migration {
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

bool first_migration(Migrator& migrator) {
  return migrator.create_migration(
      [](MigratorSyntax& _) {
        _.create_table("table1");
        _.create_table("table2");
        _.insert("table1", foo("1", "foo"));
        _.insert("table1", foo("2", "foo2"));
        _.insert("table2", foo("1", "foo"));
      },
      1, "1.1", "My first migration!");
}

TEST_CASE("The article's migration is applied once, by the first migrator that runs") {
  RunningServer server;
  Migrator migrator(server.connection_string()), other(server.connection_string());
  CHECK(first_migration(migrator));
  const auto history = entities_in(server.store(), {kAccount, "versionData"});
  CHECK_FALSE(first_migration(migrator));
  CHECK_FALSE(first_migration(other));
  CHECK(keys_in(server, "table1") == "pk/1 pk/2 ");
  CHECK(keys_in(server, "table2") == "pk/1 ");
  CHECK(entities_in(server.store(), {kAccount, "versionData"}) == history);
  CHECK(keys_in(server, "versionData") == "versionData/1 ");
}

TEST_CASE("Code that changed since it was applied is an error") {
  RunningServer server;
  Migrator migrator(server.connection_string());
  first_migration(migrator);
  const auto same = [](MigratorSyntax& _) { _.create_table("table1"); };
  CHECK_THROWS_WITH_AS(
      migrator.create_migration(same, 1, "1.1", "My first migration!"),
      "migration 1 was edited after it was applied or begun; restore its original content, and put "
      "changes into a new migration",
      std::runtime_error);
}

TEST_CASE("Every step of the syntax does what its name says") {
  RunningServer server;
  Migrator migrator(server.connection_string());
  REQUIRE(migrator.create_migration(
      [](MigratorSyntax& _) {
        _.insert("one", foo("1", "b"), true)
            .insert_if_absent("one", foo("1", "c"))
            .upsert("one", foo("2", "a"))
            .merge("one", {{"pk", "2"}, {}, {{"Age", std::int32_t{7}}}})
            .insert("one", {{"pk2", "1"}, {}, {}})
            .insert("one", {{"pk3", "1"}, {}, {}})
            .insert("one", {{"pk3", "2"}, {}, {{"Old", true}}})
            .remove("one", "pk2")
            .remove("one", "pk3", "1")
            .remove_where("one", "Old eq true")
            .change_property("one", RenameProperty{"Name", "Title"})
            .change_property("one", AddProperty{"Age", std::int32_t{1}}, "pk")
            .rekey("one", {}, std::nullopt, "{Title}_{RowKey}")
            .copy_table("one", "two")
            .clear("one")
            .rename_table("two", "three", true)
            .create_table("four")
            .delete_table("four");
      },
      1, "1.0", ""));
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
  Migrator migrator(server.connection_string());
  const auto steps = [](MigratorSyntax& _) {
    _.create_table("one");
    _.insert("absent", foo("1", "a"));
  };
  try {
    migrator.create_migration(steps, 5, "1.0", "");
    FAIL("there is no such table");
  } catch (const std::runtime_error& error) {
    const std::string told = error.what();
    CAPTURE(told);
    CHECK(told.starts_with("migration 5, step 2 of 2 (insert 1 entity into absent): "));
    CHECK(told.find("TableNotFound") != std::string::npos);
  }
  const auto begun = migrator.status({});
  CHECK(begun.empty());
  REQUIRE(server.store().create_table({kAccount, "absent"}).has_value());
  CHECK(migrator.create_migration(steps, 5, "1.0", ""));
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
    Migrator other(server.connection_string(),
                   {.http = {}, .lock = {.max_wait = 5 * kLease, .lease = kLease}, .listener = {}});
    try {
      other.create_migration([](MigratorSyntax& _) { _.create_table("two"); }, 2, "1.2", "");
    } catch (const std::runtime_error& error) {
      kept_out = std::string_view(error.what()).starts_with("another runner is migrating ");
    }
    look_at_lock();
  };
  MigratorOptions options{.http = {}, .lock = {.lease = kLease}, .listener = {}};
  options.listener.on_step = [&](const Migration&, std::size_t) { std::thread(another_runner).join(); };
  Migrator migrator(server.connection_string(), options);
  try {
    migrator.create_migration([](MigratorSyntax& _) { _.create_table("one"); }, 1, "1.1", "");
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
}  // namespace rocktable::migration
