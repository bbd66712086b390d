// Copies of accounts.
#include <doctest/doctest.h>
#include <rocksdb/db.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "storage/catalog_codec.h"
#include "storage/repair.h"
#include "tests/storage_contents.h"
#include "tests/storage_files.h"
#include "tests/storage_temporary_folder.h"
#include "tests/storage_watched_files.h"

namespace rocktable {
namespace {

std::string outcome_of_clone(TableStore& store, std::string_view from, std::string_view to) {
  const auto clone = store.clone_account(from, to);
  if (!clone) return std::string(to_string(clone.error().code));
  return std::to_string(clone->tables) + " tables, " + std::to_string(clone->entities) + " entities";
}

TEST_CASE("a copy of an account is as the account, and lives its own life") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    auto store = std::make_unique<TableStore>(on_disk ? folder.store() : in_memory());
    make_accounts(*store);
    store->set_service_properties("copy", "of an earlier life");
    CHECK(outcome_of_clone(*store, "acct", "copy") == "3 tables, 503 entities");
    const std::string all = contents(*store, "acct");
    CHECK(contents(*store, "copy") == all);
    CHECK(contents(*store, "copy").find("settings of acct") != std::string::npos);

    committed(*store, {"copy", "first"}, "p", {upsert("new")});
    REQUIRE(outcome(store->delete_table({"copy", "second"})) == "done");
    CHECK(contents(*store, "acct") == all);
    const std::string changed = contents(*store, "copy");
    store->reset_account("acct");
    CHECK(contents(*store, "copy") == changed);
    CHECK(outcome_of_clone(*store, "copy", "acct") == "2 tables, 4 entities");
    if (!on_disk) continue;
    store.reset();
    store = std::make_unique<TableStore>(folder.store());
    CHECK(contents(*store, "copy") == changed);
    CHECK(contents(*store, "acct") == changed);
  }
}

TEST_CASE("an account that has tables is not copied over, and one without is not copied") {
  TableStore store(in_memory());
  make_accounts(store);
  const std::string other = contents(store, "other");
  CHECK(outcome_of_clone(store, "acct", "other") == "TableAlreadyExists");
  CHECK(outcome_of_clone(store, "acct", "acct") == "TableAlreadyExists");
  CHECK(outcome_of_clone(store, "nobody", "copy") == "ResourceNotFound");
  CHECK(contents(store, "other") == other);
  CHECK(contents(store, "copy").empty());
}

TEST_CASE("of two copies with one name one is made, and nothing of the other") {
  TableStore store(in_memory());
  make_accounts(store);
  store.reset_account("other");
  make_table(store, {"other", "elsewhere"}, 300);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> made{0};
    {
      std::jthread a([&] { made += store.clone_account("acct", "copy").has_value(); });
      std::jthread b([&] { made += store.clone_account("other", "copy").has_value(); });
    }
    CHECK(made == 1);
    const std::string copy = contents(store, "copy");
    CHECK((copy == contents(store, "acct") || copy == contents(store, "other")));
    store.reset_account("copy");
  }
}

std::int64_t number_at(const TableStore& store, const TableName& name, const std::string& row) {
  const auto entity = entity_at(store, name, {"p", row});
  REQUIRE(entity.has_value());
  return std::get<std::int64_t>(entity->properties.at(0).value);
}

// A writer puts the same number into one table and then into the other: at any moment the second has it, or one less. The
// first takes a while to copy.
TEST_CASE("a copy shows all tables of the account at one moment, whatever is written meanwhile") {
  TableStore store(in_memory());
  const TableName first{"acct", "a"}, second{"acct", "b"};
  make_table(store, first, 3000);
  make_table(store, second, 0);
  const auto number = [&](const TableName& name, std::int64_t n) {
    return store.commit(name, "p", std::vector<Write>{upsert("!", {{"n", n}})}).has_value();
  };
  REQUIRE(number(first, 0));
  REQUIRE(number(second, 0));
  std::atomic<bool> running{true};
  std::atomic<int> unexpected{0};
  std::atomic<std::int64_t> written{0};
  std::jthread writer([&] {
    for (std::int64_t n = 1; running; ++n) {
      unexpected += !number(first, n);
      unexpected += !number(second, n);
      written = n;
    }
  });
  int torn = 0, busy_rounds = 0;
  for (int round = 0; round < 20; ++round) {
    const std::int64_t before = written;
    unexpected += !store.clone_account("acct", "copy").has_value();
    busy_rounds += written >= before + 2;
    const std::int64_t a = number_at(store, {"copy", "a"}, "!"), b = number_at(store, {"copy", "b"}, "!");
    torn += b != a && b != a - 1;
    CHECK(entities_in(store, {"copy", "a"}).size() == 3001);
    store.reset_account("copy");
  }
  running = false;
  writer.join();
  CHECK(unexpected == 0);
  CHECK(torn == 0);
  CHECK(busy_rounds > 0);
}

// Moves all rows of the entities into files of their own below the first level: those alone are dropped whole. Returns
// the name of the one whose first row is of this table.
std::string settle_files(const StoreOptions& options, TableId table) {
  std::string out;
  change(options, [&](rocksdb::DB& db, const auto& families) {
    REQUIRE(db.CompactRange({}, families[2], nullptr, nullptr).ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db.GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.column_family_name != "entities") continue;
      CHECK(file.level > 0);
      if (file.smallestkey.starts_with(encode_table_prefix(table))) out = file.name;
    }
  });
  return out;
}

// Files of a table that is emptied are dropped, whatever snapshot of RocksDB is read: the copy would miss its rows, those
// of before and those of after.
TEST_CASE(
    "a copy begins again where a table is emptied between the look at its row and the copy of its entities") {
  const TemporaryFolder folder;
  StoreOptions options = folder.store();
  const TableName first{"acct", "a"}, second{"acct", "b"};
  {
    TableStore store(options);
    make_table(store, first, 300);
    make_table(store, second, 0);
  }
  settle_files(options, TableId{1});
  {
    TableStore store(options);
    write_rows(store, second, 300);
  }
  const std::string first_file = settle_files(options, TableId{1});
  REQUIRE_FALSE(first_file.empty());
  REQUIRE(settle_files(options, TableId{2}) != first_file);

  WatchedEnvironment watched;
  options.environment = &watched.environment();
  TableStore* opened = nullptr;
  std::atomic<bool> waits{false};
  watched.files().before_table_read = [&](const std::string& path) {
    if (!path.ends_with(first_file) || !waits.exchange(false)) return;
    std::jthread([&] {  // the first table is being copied, the second one not yet
      opened->reset_table(second).value();
      opened->commit(second, "p", std::vector<Write>{upsert("after")}).value();
    })
        .join();
  };
  TableStore store(options);
  opened = &store;
  waits = true;
  CHECK(outcome_of_clone(store, "acct", "copy") == "2 tables, 301 entities");
  CHECK_FALSE(waits);
  CHECK(entities_in(store, {"copy", "a"}).size() == 300);
  CHECK(rows(store, {"copy", "b"}) == "after");
}

// As the end of the process leaves it: rows under ids of no table, and the row of the catalog that says so.
void leave_unfinished_clone(const StoreOptions& options, std::uint64_t first, std::uint64_t count) {
  change(options, [&](rocksdb::DB& db, const auto& families) {
    std::string record;
    {
      const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator({}, families[2]));
      rows->SeekToFirst();
      REQUIRE(rows->Valid());
      record = rows->value().ToString();
    }
    for (std::uint64_t id = first; id < first + count; ++id)
      REQUIRE(db.Put({}, families[2], encode_entity_key(TableId{id}, "p", "r"), record).ok());
    REQUIRE(db.Put({}, families[1], encode_clone_key(TableId{first}), encode_number(count)).ok());
    REQUIRE(db.Put({}, families[1], std::string(kNextTableIdKey), encode_number(first + count)).ok());
  });
}

std::size_t rows_in(const StoreOptions& options) {
  std::size_t out = 0;
  change(options, [&](rocksdb::DB& db, const auto& families) {
    for (const std::size_t family : {1, 2}) {
      const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator({}, families[family]));
      for (rows->SeekToFirst(); rows->Valid(); rows->Next()) ++out;
    }
  });
  return out;
}

TEST_CASE("what an end of the process leaves of a copy is swept at the next start") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  fill(options);
  const std::size_t before = rows_in(options);
  leave_unfinished_clone(options, 100, 3);
  CHECK(rows_in(options) == before + 4);
  {
    TableStore store(options);
    CHECK(rows(store) == "123");
    make_table(store, {"acct", "behind"}, 0);  // its id is behind those
    CHECK(entities_in(store, {"acct", "behind"}).empty());
  }
  CHECK(rows_in(options) == before + 1);
}

TEST_CASE("repair does not make tables of an unfinished copy") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  fill(options);
  leave_unfinished_clone(options, 100, 2);
  change(options, put(2, encode_entity_key(TableId{1}, "p", "4"), "no record"));
  const RepairReport report = repair_store(options.directory, "acct");
  CHECK_FALSE(report.was_whole);
  CHECK(report.tables == 1);
  CHECK(report.entities == 3);
  const TableStore store(options);
  CHECK(table_names(store, "acct") == std::vector<std::string>{std::string(kTable.table)});
}

}  // namespace
}  // namespace rocktable
