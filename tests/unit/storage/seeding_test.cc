// Tables of a seed: all, or none.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

// Returns `count` entities, 100 for each partition; then calls `at_end` once.
SeedTable table_of(const TableName& name, int count, const std::function<std::optional<Entity>()>& at_end = {}) {
  int given = 0;
  return {std::string(name.account), std::string(name.table), [=]() mutable -> std::optional<Entity> {
            const int number = given++;
            if (number >= count) return number == count && at_end ? at_end() : std::nullopt;
            return Entity{{"p" + std::to_string(number / 100), "r" + std::to_string(number)},
                          {},
                          {{"Number", std::int32_t{number}}, {"Text", std::string(100, 'x')}}};
          }};
}

constexpr TableName kOther{"other", "Table"};

}  // namespace

TEST_CASE("a seed's tables have all their entities, before and after a restart") {
  const TestStore place;
  {
    OpenedStore store(place.options());
    CHECK(store.is_empty());
    const auto count = store.seed({table_of(kTable, 25'000), table_of(kOther, 3), table_of({"acct", "empty"}, 0)});
    REQUIRE(count.has_value());
    CHECK(count->tables == 3);
    CHECK(count->entities == 25'003);
    CHECK_FALSE(store.is_empty());
  }
  const OpenedStore store(place.options());
  const auto entities = entities_in(store, kTable);
  REQUIRE(entities.size() == 25'000);
  CHECK(entities_in(store, kOther).size() == 3);
  CHECK(entities_in(store, {"acct", "empty"}).empty());
  CHECK(store.get_table(kOther)->name == "Table");
  const auto found = entity_at(store, kTable, {"p249", "r24999"});
  REQUIRE(found.has_value());
  CHECK(found->properties[0] == Property{"Number", std::int32_t{24'999}});
  CHECK(found->timestamp > kMinDateTime);
}

// A database gives all entities of a seed one timestamp, as those of a transaction.
TEST_CASE("timestamps of a seed increase, and later ones are larger") {
  OpenedStore store(test_store());
  REQUIRE(store.seed({table_of(kTable, 300)}).has_value());
  const auto entities = entities_in(store, kTable);
  DateTime last;
  for (int i = 0; i < 300; ++i) {
    const auto entity = entity_at(store, kTable, {"p" + std::to_string(i / 100), "r" + std::to_string(i)});
    REQUIRE(entity.has_value());
    CHECK((entity->timestamp > last || (is_in_database() && entity->timestamp == last)));
    last = entity->timestamp;
  }
  const auto next = store.commit(kTable, "p", std::vector<Mutation>{{WriteKind::Insert, "r", kNone, {}}});
  REQUIRE(next.has_value());
  CHECK(*next > last);
}

TEST_CASE("a duplicate entity is refused, in the same batch or a later one, and nothing stays") {
  const TestStore place;
  const auto again = [] { return Entity{{"p0", "r1"}, {}, {}}; };
  OpenedStore store(place.options());
  for (const int count : {2, 25'000}) {
    const auto refused = store.seed({table_of(kOther, 10), table_of(kTable, count, again)});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::EntityAlreadyExists);
    CHECK(store.is_empty());
    CHECK_FALSE(store.get_table(kOther).has_value());
  }
  // Tables that are created later show none of the entities.
  for (const TableName& name : {kTable, kOther}) {
    REQUIRE(store.create_table(name).has_value());
    CHECK(entities_in(store, name).empty());
  }
}

TEST_CASE("an exception from reading a seed is passed on, and nothing stays") {
  OpenedStore store(test_store());
  const auto fails = []() -> std::optional<Entity> { throw std::runtime_error("line 3"); };
  CHECK_THROWS_WITH(store.seed({table_of(kTable, 25'000, fails)}), "line 3");
  CHECK(store.is_empty());
  REQUIRE(store.seed({table_of(kTable, 10)}).has_value());
  CHECK(entities_in(store, kTable).size() == 10);
}

TEST_CASE("an existing table is not replaced by a seed") {
  OpenedStore store(test_store());
  REQUIRE(store.create_table(kTable).has_value());
  const auto refused = store.seed({table_of(kOther, 3), table_of(kTable, 3)});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::TableAlreadyExists);
  CHECK_FALSE(store.get_table(kOther).has_value());
  CHECK(entities_in(store, kTable).empty());
}

}  // namespace rocktable::TEST_FILE
