// Clones of accounts.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "tests/unit/storage/contents.h"

namespace rocktable::TEST_FILE {
namespace {

std::string outcome_of_clone(OpenedStore& store, std::string_view from, std::string_view to) {
  const auto clone = store.clone_account(from, to);
  if (!clone) return std::string(to_string(clone.error().code));
  return std::to_string(clone->tables) + " tables, " + std::to_string(clone->entities) + " entities";
}

TEST_CASE("a clone of an account equals the account, and is independent of it") {
  for (const bool kept : kept_or_not()) {
    CAPTURE(kept);
    const TestStore place(kept);
    auto store = std::make_unique<OpenedStore>(place.options());
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
    if (!kept) continue;
    store.reset();
    store = std::make_unique<OpenedStore>(place.options());
    CHECK(contents(*store, "copy") == changed);
    CHECK(contents(*store, "acct") == changed);
  }
}

TEST_CASE("an account that has tables is not replaced by a clone, and one without tables is not cloned") {
  OpenedStore store(test_store());
  make_accounts(store);
  const std::string other = contents(store, "other");
  CHECK(outcome_of_clone(store, "acct", "other") == "TableAlreadyExists");
  CHECK(outcome_of_clone(store, "acct", "acct") == "TableAlreadyExists");
  CHECK(outcome_of_clone(store, "nobody", "copy") == "ResourceNotFound");
  CHECK(contents(store, "other") == other);
  CHECK(contents(store, "copy").empty());
}

TEST_CASE("one of two concurrent clones with one name succeeds, and the other leaves nothing") {
  OpenedStore store(test_store());
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

std::int64_t number_at(const OpenedStore& store, const TableName& name, const std::string& row) {
  const auto entity = entity_at(store, name, {"p", row});
  REQUIRE(entity.has_value());
  return std::get<std::int64_t>(entity->properties.at(0).value);
}

// A writer writes each number to one table and then to the other: at any moment, the second has the same
// number or one less. The first table takes a while to copy.
TEST_CASE("a clone has all tables of the account as of one moment, during concurrent writes") {
  OpenedStore store(test_store());
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

}  // namespace
}  // namespace rocktable::TEST_FILE
