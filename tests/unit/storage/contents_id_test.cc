// The id of the contents of a store: what changes it, and what does not.
#include "storage/contents_id.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/storage/contents.h"

namespace rocktable::TEST_FILE {

TEST_CASE("a contents id has 32 hexadecimal digits, and no two are equal") {
  CHECK(is_contents_id(new_contents_id()));
  CHECK(new_contents_id() != new_contents_id());
  for (const char* text : {"", "0", "0123456789abcdef0123456789abcdeF", "0123456789abcdef0123456789abcdef0"})
    CHECK_FALSE(is_contents_id(text));
}

TEST_CASE("resets and restored snapshots change the id of the contents, requests of the service do not") {
  for (const bool kept : kept_or_not()) {
    CAPTURE(kept);
    const TestStore place(kept);
    OpenedStore store(place.options());
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
    if (!is_in_database()) REQUIRE(store.take_snapshot("snapshot", false).has_value());
    REQUIRE(store.clone_account("a", "b").has_value());
    CHECK(store.contents_id() == seen.back());
    REQUIRE(store.reset_table({"a", "one"}).has_value());
    CHECK(is_new());
    CHECK(store.reset_table({"a", "absent"}).has_error());
    CHECK(store.contents_id() == seen.back());
    store.reset_account("b");
    CHECK(is_new());
    for (int again = 0; again < 2 && !is_in_database(); ++again) {  // a database has no snapshots
      REQUIRE(store.restore_snapshot("snapshot").has_value());
      CHECK(is_new());
    }
    store.reset();
    CHECK(is_new());
  }
}

std::string id_at_start(const StoreOptions& options) {
  OpenedStore store(options);
  return store.contents_id();
}

TEST_CASE("the id survives a restart; in memory each start has another id") {
  const TestStore place;
  std::string before;
  {
    OpenedStore store(place.options());
    store.reset();
    before = store.contents_id();
  }
  CHECK(id_at_start(place.options()) == before);
  CHECK(id_at_start(test_store()) != id_at_start(test_store()));
}

}  // namespace rocktable::TEST_FILE
