// Stores of a newer version, and damaged stores. The tests change the rows with RocksDB itself.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/format/entity_codec.h"
#include "storage/rocksdb/format/catalog_codec.h"
#include "tests/unit/storage/rocksdb/files.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("a store of a newer format is refused and not changed") {
  const TemporaryFolder folder;
  fill(folder.store());
  change(folder.store(), put(1, kFormatKey, encode_number(kStoreFormat + 1)));
  const std::string sentence = "cannot open the store in " + folder.store().directory.string() +
                               ": it was written by a newer rocktable (format 2; this version reads up to 1)";
  CHECK(refusal_to_open(folder.store()) == sentence);
  CHECK(refusal_to_open(folder.store()) == sentence);  // again, so nothing was repaired
  change(folder.store(), put(1, kFormatKey, encode_number(kStoreFormat)));
  CHECK(rows(OpenedStore(folder.store())) == "123");
}

// RocksDB 7.8 (Debian 12) reads table files up to format 5. RocksDB 9 (Debian 13) writes format 6 by default.
TEST_CASE("every column family has tables of a format that the oldest supported RocksDB reads") {
  const TemporaryFolder folder;
  fill(folder.store());
  std::vector<std::string> formats;
  for (const auto& entry : std::filesystem::directory_iterator(folder.store().directory)) {
    if (!entry.path().filename().string().starts_with("OPTIONS-")) continue;
    formats.clear();  // each file has all properties
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.find("format_version=") != std::string::npos) formats.push_back(line);
    }
  }
  CHECK(formats == std::vector<std::string>(3, "  format_version=5"));
}

TEST_CASE("a store with an unknown column family is refused as newer") {
  const TemporaryFolder folder;
  fill(folder.store());
  change(folder.store(), [](rocksdb::DB& db, const auto&) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    REQUIRE(db.CreateColumnFamily({}, "indexes", &family).ToString() == "OK");
    db.DestroyColumnFamilyHandle(family);
  });
  CHECK(refusal_to_open(folder.store()) ==
        "cannot open the store in " + folder.store().directory.string() + ": it was written by a newer rocktable");
}

TEST_CASE("a catalog with a damaged number is refused with a message") {
  for (const std::string_view key : {kFormatKey, kClockKey, kNextTableIdKey}) {
    CAPTURE(key);
    const TemporaryFolder folder;
    fill(folder.store());
    change(folder.store(), put(1, key, "short"));
    CHECK(refusal_to_open(folder.store()).starts_with("cannot open the store in " + folder.store().directory.string()));
  }
}

// A disk fault is not a refusal. Undamaged rows stay readable, and the damaged entity can be replaced.
TEST_CASE("reading a damaged record throws, reading others does not") {
  const TemporaryFolder folder;
  fill(folder.store());
  const std::string key = encode_entity_key(TableId{1}, "p", "2");
  change(folder.store(), put(2, key, "no record"));
  OpenedStore store(folder.store());
  const auto ignore = [](const EntityView&) {};
  CHECK_THROWS_AS(rows(store), CorruptRecord);
  CHECK_THROWS_AS(store.get(kTable, {"p", "2"}, ignore), CorruptRecord);
  const std::vector<Mutation> merge{{WriteKind::Merge, "2", {}, {}}}, replace{{WriteKind::Replace, "2", {}, {}}};
  CHECK_THROWS_AS(store.commit(kTable, "p", merge), CorruptRecord);
  CHECK(store.get(kTable, {"p", "1"}, ignore).value());
  CHECK(rows(store, kTable, range_of_key({"p", "3"})) == "3");
  CHECK(store.commit(kTable, "p", replace).has_value());  // also checks that no lock is held
  CHECK(rows(store) == "123");
}

TEST_CASE("a damaged row of the catalog throws") {
  const TemporaryFolder folder;
  fill(folder.store());
  change(folder.store(), put(1, encode_table_key("acct", "table"), "\2 of another format"));
  OpenedStore store(folder.store());
  CHECK_THROWS_AS(store.get_table(kTable), CorruptRecord);
  CHECK_THROWS_AS(rows(store), CorruptRecord);
}

TEST_CASE("rows under other table ids are never seen in a table") {
  const TemporaryFolder folder;
  fill(folder.store());
  std::string record;
  encode_entity(record, kUnixEpoch, Properties{});
  for (const std::uint64_t id : {0, 2, 0x101})
    change(folder.store(), put(2, encode_entity_key(TableId{id}, "p", "2"), record));
  CHECK(rows(OpenedStore(folder.store())) == "123");
}

// A table that is created again gets a new id, so remaining rows would never be seen, but fill the disk.
TEST_CASE("a deleted table leaves no rows") {
  const TemporaryFolder folder;
  fill(folder.store());
  {
    OpenedStore store(folder.store());
    REQUIRE(store.set_signed_identifiers(kTable, "document").has_value());
    REQUIRE(store.delete_table(kTable).has_value());
  }
  change(folder.store(), [](rocksdb::DB& db, const auto& families) {
    std::string catalog;
    const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator({}, families[1]));
    for (rows->SeekToFirst(); rows->Valid(); rows->Next()) catalog += rows->key().ToString() + "\n";
    CHECK(catalog == "mclock\nmcontents\nmformat\nmtable id\n");
    const std::unique_ptr<rocksdb::Iterator> entities(db.NewIterator({}, families[2]));
    entities->SeekToFirst();
    CHECK_FALSE(entities->Valid());
  });
}

// As after the clock was set back, or on another machine.
TEST_CASE("timestamps continue after the persisted mark, also if the wall clock is before it") {
  const TemporaryFolder folder;
  fill(folder.store());
  const DateTime mark{now().ticks + 3600 * kTicksPerSecond};
  change(folder.store(), put(1, kClockKey, encode_number(static_cast<std::uint64_t>(mark.ticks))));
  const std::vector<Mutation> writes{{WriteKind::Replace, "1", {}, {}}};
  for (int restart = 1; restart <= 3; ++restart) {
    OpenedStore store(folder.store());
    CHECK(store.commit(kTable, "p", writes).value().ticks == mark.ticks + restart);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
