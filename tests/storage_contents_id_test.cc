// The id of a store's contents: what changes it, and what does not.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/catalog_codec.h"
#include "storage/contents_id.h"
#include "storage/repair.h"
#include "tests/storage_contents.h"
#include "tests/storage_files.h"
#include "tests/storage_temporary_folder.h"

namespace rocktable {

TEST_CASE("an id of contents is 32 hex digits, and no two are equal") {
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
    std::vector<std::string> seen{store.contents_id()};
    const auto is_new = [&] {
      const std::string id = store.contents_id();
      const bool is_known = std::find(seen.begin(), seen.end(), id) != seen.end();
      seen.push_back(id);
      return !is_known;
    };
    REQUIRE(store.create_table({"a", "one"}).has_value());
    REQUIRE(store.create_table({"a", "two"}).has_value());
    REQUIRE(store.delete_table({"a", "two"}).has_value());
    REQUIRE(store.take_snapshot("snapshot", false).has_value());
    REQUIRE(store.clone_account("a", "b").has_value());
    CHECK(store.contents_id() == seen.back());
    REQUIRE(store.reset_table({"a", "one"}).has_value());
    CHECK(is_new());
    CHECK(store.reset_table({"a", "absent"}).has_error());
    CHECK(store.contents_id() == seen.back());
    store.reset_account("b");
    CHECK(is_new());
    REQUIRE(store.restore_snapshot("snapshot").has_value());
    CHECK(is_new());
    REQUIRE(store.restore_snapshot("snapshot").has_value());
    CHECK(is_new());
    store.reset();
    CHECK(is_new());
  }
}

TEST_CASE(
    "on the disk an id stays from one start to the next, in memory and after a repair there is another one") {
  const TemporaryFolder folder;
  std::string before;
  {
    TableStore store(folder.store());
    store.reset();
    before = store.contents_id();
  }
  CHECK(TableStore(folder.store()).contents_id() == before);
  change(folder.store(), put(1, kContentsKey, "damaged"));
  const std::string after = TableStore(folder.store()).contents_id();
  CHECK(is_contents_id(after));
  CHECK(after != before);
  change(folder.store(), put(1, kClockKey, "damaged"));
  CHECK_FALSE(repair_store(folder.store().directory, "account").was_whole);
  CHECK(TableStore(folder.store()).contents_id() != after);
  CHECK(TableStore(in_memory()).contents_id() != TableStore(in_memory()).contents_id());
}

}  // namespace rocktable
