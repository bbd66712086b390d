// Clones of accounts.
#include <doctest/doctest.h>
#include <rocksdb/db.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/repair/repair.h"
#include "storage/store_fixtures.h"
#include "tests/unit/storage/contents.h"
#include "tests/unit/storage/rocksdb/files.h"
#include "tests/unit/storage/rocksdb/watched_files.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable {
namespace {

std::string outcome_of_clone(TableStore& store, std::string_view from, std::string_view to) {
  const auto clone = StoreFixtures(store).clone_account(from, to);
  if (!clone) return std::string(to_string(clone.error().code));
  return std::to_string(clone->tables) + " tables, " + std::to_string(clone->entities) + " entities";
}

TEST_CASE("a clone of an account equals the account, and is independent of it") {
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
    StoreFixtures(*store).reset_account("acct");
    CHECK(contents(*store, "copy") == changed);
    CHECK(outcome_of_clone(*store, "copy", "acct") == "2 tables, 4 entities");
    if (!on_disk) continue;
    store.reset();
    store = std::make_unique<TableStore>(folder.store());
    CHECK(contents(*store, "copy") == changed);
    CHECK(contents(*store, "acct") == changed);
  }
}

TEST_CASE("an account that has tables is not replaced by a clone, and one without tables is not cloned") {
  TableStore store(in_memory());
  make_accounts(store);
  const std::string other = contents(store, "other");
  CHECK(outcome_of_clone(store, "acct", "other") == "TableAlreadyExists");
  CHECK(outcome_of_clone(store, "acct", "acct") == "TableAlreadyExists");
  CHECK(outcome_of_clone(store, "nobody", "copy") == "ResourceNotFound");
  CHECK(contents(store, "other") == other);
  CHECK(contents(store, "copy").empty());
}

TEST_CASE("one of two concurrent clones with one name succeeds, and the other leaves nothing") {
  TableStore store(in_memory());
  make_accounts(store);
  StoreFixtures(store).reset_account("other");
  make_table(store, {"other", "elsewhere"}, 300);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> made{0};
    {
      std::jthread a([&] { made += StoreFixtures(store).clone_account("acct", "copy").has_value(); });
      std::jthread b([&] { made += StoreFixtures(store).clone_account("other", "copy").has_value(); });
    }
    CHECK(made == 1);
    const std::string copy = contents(store, "copy");
    CHECK((copy == contents(store, "acct") || copy == contents(store, "other")));
    StoreFixtures(store).reset_account("copy");
  }
}

std::int64_t number_at(const TableStore& store, const TableName& name, const std::string& row) {
  const auto entity = entity_at(store, name, {"p", row});
  REQUIRE(entity.has_value());
  return std::get<std::int64_t>(entity->properties.at(0).value);
}

// A writer writes each number to one table and then to the other: at any moment, the second has the same
// number or one less. The first table takes a while to copy.
TEST_CASE("a clone has all tables of the account as of one moment, during concurrent writes") {
  TableStore store(in_memory());
  const TableName first{"acct", "a"}, second{"acct", "b"};
  make_table(store, first, 3000);
  make_table(store, second, 0);
  const auto number = [&](const TableName& name, std::int64_t n) {
    return store.commit(name, "p", std::vector<Mutation>{upsert("!", {{"n", n}})}).has_value();
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
    unexpected += !StoreFixtures(store).clone_account("acct", "copy").has_value();
    busy_rounds += written >= before + 2;
    const std::int64_t a = number_at(store, {"copy", "a"}, "!"), b = number_at(store, {"copy", "b"}, "!");
    torn += b != a && b != a - 1;
    CHECK(entities_in(store, {"copy", "a"}).size() == 3001);
    StoreFixtures(store).reset_account("copy");
  }
  running = false;
  writer.join();
  CHECK(unexpected == 0);
  CHECK(torn == 0);
  CHECK(busy_rounds > 0);
}

// Moves all rows into files of their own below level 0, because only those are dropped whole. Returns the
// name of the file whose first row is of this table.
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

// Emptying a table drops files, also for snapshots of RocksDB. The clone would miss the rows from before and
// after.
TEST_CASE("a clone starts again if a table is emptied between reading its row and copying its entities") {
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
    std::jthread([&] {  // the first table is being copied, the second not yet
      StoreFixtures(*opened).reset_table(second).value();
      opened->commit(second, "p", std::vector<Mutation>{upsert("after")}).value();
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

// The state after the process ended: rows under ids of no table, and the row of the catalog that lists these
// ids.
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

TEST_CASE("the next start deletes the rows of an interrupted clone") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  fill(options);
  const std::size_t before = rows_in(options);
  leave_unfinished_clone(options, 100, 3);
  CHECK(rows_in(options) == before + 4);
  {
    TableStore store(options);
    CHECK(rows(store) == "123");
    make_table(store, {"acct", "behind"}, 0);  // its id follows the reserved ones
    CHECK(entities_in(store, {"acct", "behind"}).empty());
  }
  CHECK(rows_in(options) == before + 1);
}

TEST_CASE("repair creates no tables for an unfinished clone") {
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
