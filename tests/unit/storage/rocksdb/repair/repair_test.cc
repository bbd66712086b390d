// repair_store() on stores with damaged rows. tests/crash/test_damage.py damages files at random.
#include "storage/rocksdb/repair/repair.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/format/log_check.h"
#include "storage/rocksdb/repair/salvage.h"
#include "tests/unit/storage/rocksdb/files.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

TEST_CASE("repair does not change a whole store, and counts its contents") {
  const TemporaryFolder folder;
  fill(folder.store());
  const RepairReport report = repair_store(folder.store().directory, "acct");
  CHECK(report.was_whole);
  CHECK(report.tables == 1);
  CHECK(report.entities == 3);
  CHECK(rows(OpenedStore(folder.store())) == "123");
}

// A new table must not get the id, and so the rows, of an earlier one.
TEST_CASE("repair sets unreadable counters beyond all existing ids and timestamps") {
  for (const std::string_view key : {kFormatKey, kClockKey, kNextTableIdKey}) {
    CAPTURE(key);
    const TemporaryFolder folder;
    fill(folder.store());
    change(folder.store(), put(1, key, "short"));
    CHECK(refusal_to_open(folder.store()).find("is damaged") != std::string::npos);
    CHECK_FALSE(repair_store(folder.store().directory, "acct").was_whole);
    OpenedStore store(folder.store());
    REQUIRE(store.create_table({"acct", "New"}).has_value());
    CHECK(rows(store, {"acct", "New"}).empty());
    CHECK(rows(store) == "123");
  }
}

TEST_CASE("repair creates tables for entities of unreadable tables, and deletes unreadable rows") {
  const TemporaryFolder folder;
  fill(folder.store());
  change(folder.store(), put(1, encode_table_key("acct", "table"), "no row"));
  change(folder.store(), put(2, encode_entity_key(TableId{1}, "p", "2"), "no record"));
  const RepairReport report = repair_store(folder.store().directory, "acct");
  REQUIRE(report.lost.size() == 3);
  CHECK(report.lost[1] == "the name of a table with 2 entities: it is now recovered1 of the account acct");
  CHECK(report.lost[2] == "1 entities that cannot be read");
  CHECK(rows(OpenedStore(folder.store()), {"acct", "recovered1"}) == "13");
  CHECK(repair_store(folder.store().directory, "acct").was_whole);
  CHECK(fs::exists(report.backup / "CURRENT"));
}

fs::path largest_table_file(const fs::path& store) {
  fs::path out;
  for (const auto& entry : fs::directory_iterator(store))
    if (entry.path().extension() == ".sst" && (out.empty() || entry.file_size() > fs::file_size(out)))
      out = entry.path();
  return out;
}

TEST_CASE("repair loses only the rows of a damaged block, and names them") {
  struct {
    const char* block;
    double part;  // fraction of the file before the damage
  } cases[] = {{"the first", 0.003}, {"one in the middle", 0.5}, {"the last", 0.97}};
  for (const auto& c : cases) {
    CAPTURE(c.block);
    const TemporaryFolder folder;
    std::vector<std::string> keys;
    {
      OpenedStore store(folder.store());
      REQUIRE(store.create_table(kTable).has_value());
      for (int i = 0; i < 2000; ++i) {
        keys.push_back(std::to_string(100'000 + i * 7));
        const std::vector<Mutation> writes{{WriteKind::Insert, keys.back(), {}, {{"a", std::string(500, 'x')}}}};
        REQUIRE(store.commit(kTable, "p", writes).has_value());
      }
    }
    const fs::path file = largest_table_file(folder.store().directory);
    {
      std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
      bytes.seekp(static_cast<std::streamoff>(c.part * static_cast<double>(fs::file_size(file))));
      bytes.put('y');
    }
    const RepairReport report = repair_store(folder.store().directory, "acct");
    CHECK_FALSE(report.was_whole);
    CHECK(report.entities < 2000);
    CHECK(report.entities > 1930);  // a block is 32 KiB
    REQUIRE(report.lost.size() == 2);
    CHECK(report.lost[0].find(file.filename().string()) != std::string::npos);
    const OpenedStore store(folder.store());
    const auto exists = [&](const std::string& key) {
      return store.get(kTable, {"p", key}, [](const EntityView&) {}).value();
    };
    std::size_t first = 0, end = keys.size();  // range of the lost rows
    while (exists(keys[first])) ++first;
    while (exists(keys[end - 1])) --end;
    const auto entity = [&](std::size_t i) { return "acct/table(PartitionKey='p',RowKey='" + keys[i] + "')"; };
    const std::string before = first == 0 ? "" : entity(first - 1);
    const std::string after = end == keys.size() ? "" : entity(end);
    const std::string gap = before.empty()  ? "entities before " + after
                            : after.empty() ? "entities after " + before
                                            : "entities between " + before + " and " + after;
    CHECK(report.lost[1] == gap + " in " + file.filename().string());
    CHECK(report.entities == 2000 - (end - first));
  }
}

// The row is in the catalog until the tables are. Where its deletion is lost, it is there again.
TEST_CASE("repair omits the row of a finished clone, whose tables the next start would empty") {
  const TemporaryFolder folder;
  fill(folder.store());
  change(folder.store(), put(1, encode_clone_key(TableId{1}), encode_number(1)));
  change(folder.store(), put(1, kClockKey, "short"));
  CHECK(repair_store(folder.store().directory, "acct").entities == 3);
  CHECK(rows(OpenedStore(folder.store())) == "123");
}

#ifdef _WIN32
constexpr bool kCanCopyOpenStore = false;
#else
constexpr bool kCanCopyOpenStore = true;
#endif

TEST_CASE("repair says that anything may be older behind lost operations of a log" *
          doctest::skip(!kCanCopyOpenStore)) {
  const TemporaryFolder folder, copy;
  const fs::path damaged = copy.path() / "store";
  StoreOptions options = folder.store();
  options.directory = damaged;
  fill(folder.store());
  {
    OpenedStore store(folder.store());
    committed(store, kTable, "p", {{WriteKind::Delete, "2", kAny, {}}});
    committed(store, kTable, "p", {insert("4", {{"n", std::string("4")}})});
    fs::copy(folder.store().directory, damaged);  // as if its process had died
  }
  for (const auto& entry : fs::directory_iterator(damaged)) {
    if (entry.path().extension() != ".log" || entry.file_size() == 0) continue;
    std::fstream bytes(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    const std::string log(std::istreambuf_iterator<char>(bytes), {});
    std::vector<std::uint64_t> records;
    read_log(log, [&](std::uint64_t offset, std::string_view) { records.push_back(offset); });
    if (records.size() < 3) continue;
    bytes.clear();
    bytes.seekp(static_cast<std::streamoff>(records[records.size() - 2] + 7));  // in the deletion
    bytes.put('x');
  }
  const RepairReport report = repair_store(damaged, "acct");
  CHECK_FALSE(report.was_whole);
  CHECK(report.older.empty());
  CHECK(rows(OpenedStore(options)) == "1234");
  REQUIRE(report.older_unnamed.size() == 1);
  CHECK(report.older_unnamed[0] ==
        "1 operation of the logs is lost: what it changed or deleted may be as it was before: entities, "
        "tables, settings");
}

TEST_CASE("middle_of() returns a key between two keys, or the higher one") {
  struct {
    std::string_view low, high;
  } cases[] = {{"", "\xff"},   {"", std::string_view("\0\0\0\0\0\0\0\x05p", 9)},
               {"a", "b"},     {"ab", "b"},
               {"a", "a\x01"}, {"abc", "abd"},
               {"a", "a"}};
  for (const auto& c : cases) {
    CAPTURE(c.low);
    std::string low(c.low), high(c.high);
    for (int step = 0; step < 200; ++step) {
      const std::string middle = middle_of(low, high);
      if (middle == high) break;
      CHECK(middle > low);
      CHECK(middle < high);
      (step % 3 == 0 ? low : high) = middle;
    }
  }
}

TEST_CASE("repair refuses a newer store, a store in use, and a folder without a store") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(repair_store(folder.store().directory, "acct"), StoreError);
  fill(folder.store());
  {
    const OpenedStore user(folder.store());
    CHECK_THROWS_WITH_AS(
        repair_store(folder.store().directory, "acct"),
        ("the folder " + folder.store().directory.string() + " is in use by another rocktable").c_str(), StoreError);
  }
  change(folder.store(), put(1, kFormatKey, encode_number(kStoreFormat + 1)));
  CHECK_THROWS_AS(repair_store(folder.store().directory, "acct"), StoreError);
  change(folder.store(), put(1, kFormatKey, encode_number(kStoreFormat)));
  CHECK(rows(OpenedStore(folder.store())) == "123");
  CHECK(std::distance(fs::directory_iterator(folder.store().directory.parent_path()), {}) == 1);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
