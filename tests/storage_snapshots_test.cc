// Snapshots of the store: taken, restored, replaced and removed, in memory and on disk.
#include "tests/storage_snapshots.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/catalog_codec.h"
#include "storage/folders.h"
#include "storage/snapshot_description.h"
#include "tests/storage_contents.h"
#include "tests/storage_files.h"
#include "tests/storage_snapshot_files.h"
#include "tests/storage_temporary_folder.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

std::string everything(const TableStore& store) { return contents(store, "acct") + contents(store, "other"); }

TEST_CASE("after a snapshot is restored everything is as it was, as often as one likes") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    auto store = std::make_unique<TableStore>(on_disk ? folder.store() : in_memory());
    take(*store, "empty");
    make_accounts(*store);
    const std::string full = everything(*store);
    take(*store, "full");
    for (int round = 0; round < 3; ++round) {
      CAPTURE(round);
      committed(*store, {"acct", "first"}, "p", {upsert("0", {{"n", 1}}), upsert("new")});
      REQUIRE(outcome(store->delete_table({"other", "second"})) == "done");
      make_table(*store, {"acct", "later"});
      store->set_service_properties("third", "settings");
      REQUIRE(outcome(store->restore_snapshot("full")) == "done");
      CHECK(everything(*store) == full);
      CHECK_FALSE(store->service_properties("third").has_value());
      REQUIRE(outcome(store->restore_snapshot("empty")) == "done");
      CHECK(everything(*store).empty());
      if (round == 1) store->reset();
      REQUIRE(outcome(store->restore_snapshot("full")) == "done");
      CHECK(everything(*store) == full);
      if (!on_disk) continue;
      store.reset();
      store = std::make_unique<TableStore>(folder.store());
      CHECK(everything(*store) == full);
      CHECK(beside(folder.store()) == std::vector<std::string>{"store", "store.snapshots"});
    }
    CHECK(names_of(store->snapshots()) == "empty full ");
  }
}

TEST_CASE("a name that is taken is not taken again, unless it is to be replaced") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    TableStore store(on_disk ? folder.store() : in_memory());
    CHECK(store.snapshots().empty());
    take(store, "one", true);
    make_accounts(store);
    CHECK_FALSE(store.take_snapshot("one", false)->has_value());
    REQUIRE(outcome(store.restore_snapshot("one")) == "done");
    CHECK(everything(store).empty());
    make_accounts(store);
    const DateTime before = now();
    take(store, "one", true);
    const std::string full = everything(store);
    const auto list = store.snapshots();
    REQUIRE(list.size() == 1);
    CHECK(list[0].tables == 6);
    CHECK(list[0].bytes > 500);
    CHECK(before <= list[0].taken);
    store.reset();
    REQUIRE(outcome(store.restore_snapshot("one")) == "done");
    CHECK(everything(store) == full);
  }
}

TEST_CASE("a snapshot that is removed is gone, and nothing else is") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    TableStore store(on_disk ? folder.store() : in_memory());
    make_accounts(store);
    const std::string full = everything(store);
    take(store, "one");
    take(store, "two");
    CHECK(outcome(store.delete_snapshot("three")) == "ResourceNotFound");
    REQUIRE(outcome(store.delete_snapshot("one")) == "done");
    CHECK(outcome(store.delete_snapshot("one")) == "ResourceNotFound");
    CHECK(outcome(store.restore_snapshot("one")) == "ResourceNotFound");
    CHECK(names_of(store.snapshots()) == "two ");
    CHECK(everything(store) == full);
    store.reset();
    REQUIRE(outcome(store.restore_snapshot("two")) == "done");
    CHECK(everything(store) == full);
    take(store, "one");
  }
}

TEST_CASE("names of snapshots lead out of no folder") {
  for (const std::string_view good : {"a", "0", "A.b-c_d", "before..", "1.tmp"}) {
    CAPTURE(good);
    CHECK(is_snapshot_name(good));
  }
  CHECK(is_snapshot_name(std::string(64, 'x')));
  CHECK_FALSE(is_snapshot_name(std::string(65, 'x')));
  const TemporaryFolder folder;
  TableStore store(folder.store());
  constexpr std::string_view kBad[] = {"",     ".",  "..", "../x", "a/b",      "/",   "~a",       "a b",
                                       "a%2e", "-a", "_a", ".a",   "\xC3\xA4", "a\n", {"a\0b", 3}};
  for (const auto bad : kBad) {
    CAPTURE(bad);
    CHECK(store.take_snapshot(bad, true).error().code == ErrorCode::InvalidResourceName);
    CHECK(outcome(store.restore_snapshot(bad)) == "ResourceNotFound");
    CHECK(outcome(store.delete_snapshot(bad)) == "ResourceNotFound");
  }
  CHECK(beside(folder.store()) == std::vector<std::string>{"store"});
}

TEST_CASE("what is told of a snapshot is read as it was written, and nothing else is") {
  const SnapshotDescription description{
      {"x", now(), 7, 1234567890123},
      {{"CURRENT", 16, 0x0a}, {"000012.sst", 4096, std::nullopt}, {"a b", 0, 0xffffffff}}};
  const std::string text = to_text(description);
  const auto read = parse_description("x", text);
  REQUIRE(read.has_value());
  CHECK(read->info.taken == description.info.taken);
  CHECK(read->info.tables == 7);
  CHECK(read->info.bytes == 1234567890123);
  CHECK(read->files == description.files);
  for (std::size_t length = 0; length < text.size(); ++length)
    CHECK_FALSE(parse_description("x", text.substr(0, length)).has_value());
  CHECK_FALSE(parse_description("x", text + "1").has_value());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    CHECK_FALSE(parse_description("x", changed).has_value());
  }
}

TEST_CASE("what is told of a snapshot in the first format is read, and that its files are not known") {
  const auto read = parse_description("x", "rocktable snapshot 1\n638000000000000000\n7\n99\n");
  REQUIRE(read.has_value());
  CHECK(read->info.taken.ticks == 638000000000000000);
  CHECK(read->info.tables == 7);
  CHECK(read->info.bytes == 99);
  CHECK(read->files.empty());
  for (const std::string_view bad :
       {"", "rocktable snapshot 1\n", "rocktable snapshot 1\n1\n2\n", "rocktable snapshot 1\n1\n2\n3",
        "rocktable snapshot 1\n1\n2\n3\n4", "rocktable snapshot 3\n1\n2\n3\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_description("x", bad).has_value());
  }
}

// ETags are timestamps: one that came again would let a client write over what it has not seen.
TEST_CASE("timestamps and tables' ids go on, whichever snapshot is restored") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    auto store = std::make_unique<TableStore>(on_disk ? folder.store() : in_memory());
    make_table(*store, kTable);
    take(*store, "early");
    DateTime last;
    for (int round = 0; round < 4; ++round) {
      make_table(*store, {"acct", "later"}, 200);
      for (int i = 0; i < 50; ++i) {
        const DateTime timestamp = committed(*store, kTable, "p", {upsert("r")});
        CHECK(last < timestamp);
        last = timestamp;
      }
      REQUIRE(outcome(store->restore_snapshot("early")) == "done");
      make_table(*store, {"acct", "other"}, 0);
      CHECK(entities_in(*store, {"acct", "other"}).empty());
      REQUIRE(outcome(store->restore_snapshot("early")) == "done");
      if (!on_disk || round != 2) continue;
      store.reset();
      store = std::make_unique<TableStore>(folder.store());
    }
  }
}

std::uint64_t number_in(const fs::path& store, std::string_view key) {
  std::string bytes;
  change({store}, [&](rocksdb::DB& db, const auto& families) {
    REQUIRE(db.Get({}, families[1], std::string(key), &bytes).ok());
  });
  return decode_number(bytes);
}

TEST_CASE("counters are carried over to the store that takes the place, where they are ahead") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  {
    TableStore store(options);
    make_table(store, kTable);
    take(store, "early");
    for (int i = 0; i < 20; ++i) make_table(store, {"acct", "t" + std::to_string(i)}, 0);
    REQUIRE(outcome(store.restore_snapshot("early")) == "done");
  }
  CHECK(number_in(options.directory, kNextTableIdKey) == 22);

  const DateTime ahead{now().ticks + 1'000'000'000'000};
  const fs::path snapshot = options.directory.string() + ".snapshots/early";
  forget_list_of_files(snapshot);
  change({snapshot}, put(1, kClockKey, encode_number(static_cast<std::uint64_t>(ahead.ticks))));
  change({snapshot}, put(1, kNextTableIdKey, encode_number(1000)));
  {
    TableStore store(options);
    REQUIRE(outcome(store.restore_snapshot("early")) == "done");
    CHECK(ahead < committed(store, kTable, "p", {upsert("r")}));
    make_table(store, {"acct", "new"}, 0);
  }
  CHECK(number_in(options.directory, kNextTableIdKey) == 1001);
  CHECK(static_cast<std::int64_t>(number_in(options.directory, kClockKey)) > ahead.ticks);
}

TEST_CASE("a snapshot of a store that is gone is restored in the next one") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  DateTime last;
  std::string full;
  {
    TableStore store(options);
    make_accounts(store);
    for (int i = 0; i < 10; ++i) make_table(store, {"acct", "t" + std::to_string(i)});
    last = committed(store, {"acct", "first"}, "p", {upsert("r")});
    full = everything(store);
    take(store, "kept");
  }
  fs::remove_all(options.directory);
  TableStore store(options);
  make_table(store, kTable);
  REQUIRE(outcome(store.restore_snapshot("kept")) == "done");
  CHECK(everything(store) == full);
  make_table(store, {"acct", "new"});  // not under the id of another
  CHECK(entities_in(store, {"acct", "new"}).size() == 3);
  CHECK(last < committed(store, {"acct", "first"}, "p", {upsert("r")}));
}

TEST_CASE("a damaged snapshot is not restored, and the store goes on") {
  const TemporaryFolder folder;
  TableStore store(folder.store());
  make_accounts(store);
  take(store, "one");
  const fs::path snapshot = folder.store().directory.string() + ".snapshots/one";
  for (const auto& entry : fs::directory_iterator(snapshot))
    if (entry.path().filename().string().starts_with("MANIFEST")) fs::resize_file(entry.path(), 20);
  committed(store, {"acct", "first"}, "p", {upsert("new")});
  const std::string full = everything(store);
  CHECK_THROWS_AS(store.restore_snapshot("one"), std::runtime_error);
  CHECK(everything(store) == full);
  committed(store, {"acct", "first"}, "p", {upsert("newer")});
  CHECK(beside(folder.store()) == std::vector<std::string>{"store", "store.snapshots"});
  fs::remove(snapshot / "SNAPSHOT");
  CHECK(store.snapshots().empty());
  CHECK(outcome(store.restore_snapshot("one")) == "ResourceNotFound");
}

// What the end of the process leaves where it came at the worst moments.
TEST_CASE("the next start removes what was being made, and puts back what was aside") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  const std::string home = options.directory.string();
  std::string full;
  {
    TableStore store(options);
    make_accounts(store);
    full = everything(store);
    take(store, "one");
  }
  fs::create_directory(home + ".snapshots/~two");
  std::ofstream(home + ".snapshots/~two/CURRENT") << "x";
  fs::create_directory(home + ".restore");
  std::ofstream(home + ".restore/CURRENT") << "x";
  fs::rename(home, home + ".aside");  // half of an exchange, where it takes two steps
  {
    const TableStore store(options);
    CHECK(everything(store) == full);
    CHECK(names_of(store.snapshots()) == "one ");
    CHECK(beside(options) == std::vector<std::string>{"store", "store.snapshots"});
    CHECK_FALSE(fs::exists(home + ".snapshots/~two"));
  }
  fs::create_directory(home + ".aside");
  const TableStore store(options);
  CHECK(everything(store) == full);
  CHECK(beside(options) == std::vector<std::string>{"store", "store.snapshots"});
}

TEST_CASE("folders are exchanged whole") {
  const TemporaryFolder folder;
  const fs::path a = folder.path() / "a", b = folder.path() / "b";
  for (const fs::path& one : {a, b}) {
    fs::create_directory(one);
    std::ofstream(one / one.filename()) << "x";
  }
  exchange_folders(a, b);
  CHECK(fs::exists(a / "b"));
  CHECK(fs::exists(b / "a"));
  CHECK_THROWS_AS(exchange_folders(a, folder.path() / "nothing"), fs::filesystem_error);
  CHECK(fs::exists(a / "b"));
}

// Each transaction writes one number to all rows: of a snapshot, and of the store while one is restored, they never
// show two.
TEST_CASE("while snapshots are taken and restored, no answer is half, and none a fault") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    TableStore store(on_disk ? folder.store() : in_memory());
    make_table(store, kTable, 0);
    std::atomic<bool> running{true};
    std::atomic<int> torn{0}, unexpected{0}, pages{0}, faults{0};
    std::atomic<std::int64_t> commits{0};
    const auto guarded = [&](const std::function<void()>& work) {
      while (running) {
        try {
          work();
        } catch (const ServiceException&) {
        } catch (const std::exception&) {
          ++faults;
        }
      }
    };
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      guarded([&] {
        std::vector<Write> writes;
        writes.reserve(90);
        for (int row = 0; row < 90; ++row)
          writes.push_back(
              upsert(std::to_string(row), {{"n", commits.load()}, {"b", Binary{std::string(500, 'x')}}}));
        const auto result = store.commit(kTable, "p", writes);
        unexpected += !result.has_value();
        ++commits;
      });
    });
    for (int reader = 0; reader < 2; ++reader) {
      threads.emplace_back([&] {
        guarded([&] {
          std::vector<DateTime> timestamps;
          const auto result = store.scan(kTable, all_keys(), 1000, far_away(), [&](const EntityView& entity) {
            timestamps.push_back(entity.timestamp);
            return true;
          });
          ++pages;
          unexpected += !result.has_value();
          if (timestamps.empty()) return;
          // A page may end early, but tells so.
          const bool whole = result && (timestamps.size() == 90 || result->has_value());
          torn += !whole || timestamps.front() != timestamps.back();
        });
      });
    }
    for (int round = 0; round < 12; ++round) {
      for (const std::int64_t before = commits; commits < before + 5;) std::this_thread::yield();
      take(store, "s" + std::to_string(round % 3), true);
      REQUIRE(outcome(store.restore_snapshot("s" + std::to_string((round * 2) % (round < 3 ? 1 : 3)))) ==
              "done");
    }
    running = false;
    threads.clear();
    CHECK(torn == 0);
    CHECK(unexpected == 0);
    CHECK(faults == 0);
    CHECK(pages > 0);
    for (int i = 0; i < 3; ++i) {
      REQUIRE(outcome(store.restore_snapshot("s" + std::to_string(i))) == "done");
      const auto entities = entities_in(store, kTable);
      CHECK(entities.size() == 90);
      CHECK(entities.front().timestamp == entities.back().timestamp);
    }
  }
}

}  // namespace
}  // namespace rocktable
