// The id of the contents of a store: what changes it, and what does not.
#include "storage/contents_id.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/repair/repair.h"
#include "storage/store_fixtures.h"
#include "tests/unit/storage/contents.h"
#include "tests/unit/storage/rocksdb/files.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable {

TEST_CASE("a contents id has 32 hexadecimal digits, and no two are equal") {
  CHECK(is_contents_id(new_contents_id()));
  CHECK(new_contents_id() != new_contents_id());
  for (const char* text : {"", "0", "0123456789abcdef0123456789abcdeF", "0123456789abcdef0123456789abcdef0"})
    CHECK_FALSE(is_contents_id(text));
}

TEST_CASE("resets and restored snapshots change the id of the contents, requests of the service do not") {
  for (const bool on_disk : {false, true}) {
    CAPTURE(on_disk);
    const TemporaryFolder folder;
    TableStore store(on_disk ? folder.store() : in_memory());
    std::vector<std::string> seen{StoreFixtures(store).contents_id()};
    const auto is_new = [&] {
      const std::string id = StoreFixtures(store).contents_id();
      const bool is_known = std::find(seen.begin(), seen.end(), id) != seen.end();
      seen.push_back(id);
      return !is_known;
    };
    REQUIRE(store.create_table({"a", "one"}).has_value());
    REQUIRE(store.create_table({"a", "two"}).has_value());
    REQUIRE(store.delete_table({"a", "two"}).has_value());
    REQUIRE(StoreFixtures(store).take_snapshot("snapshot", false).has_value());
    REQUIRE(StoreFixtures(store).clone_account("a", "b").has_value());
    CHECK(StoreFixtures(store).contents_id() == seen.back());
    REQUIRE(StoreFixtures(store).reset_table({"a", "one"}).has_value());
    CHECK(is_new());
    CHECK(StoreFixtures(store).reset_table({"a", "absent"}).has_error());
    CHECK(StoreFixtures(store).contents_id() == seen.back());
    StoreFixtures(store).reset_account("b");
    CHECK(is_new());
    REQUIRE(StoreFixtures(store).restore_snapshot("snapshot").has_value());
    CHECK(is_new());
    REQUIRE(StoreFixtures(store).restore_snapshot("snapshot").has_value());
    CHECK(is_new());
    StoreFixtures(store).reset();
    CHECK(is_new());
  }
}

std::string id_at_start(const StoreOptions& options) {
  TableStore store(options);
  return StoreFixtures(store).contents_id();
}

TEST_CASE(
    "the id on disk survives a restart, and changes after a repair; in memory each start has another id") {
  const TemporaryFolder folder;
  std::string before;
  {
    TableStore store(folder.store());
    StoreFixtures(store).reset();
    before = StoreFixtures(store).contents_id();
  }
  CHECK(id_at_start(folder.store()) == before);
  change(folder.store(), put(1, kContentsKey, "damaged"));
  const std::string after = id_at_start(folder.store());
  CHECK(is_contents_id(after));
  CHECK(after != before);
  change(folder.store(), put(1, kClockKey, "damaged"));
  CHECK_FALSE(repair_store(folder.store().directory, "account").was_whole);
  CHECK(id_at_start(folder.store()) != after);
  CHECK(id_at_start(in_memory()) != id_at_start(in_memory()));
}

}  // namespace rocktable
