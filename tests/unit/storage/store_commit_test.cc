// The results of transactions. tests/crash tests that a killed process loses no acknowledged write.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("a refused transaction changes nothing and names the write that was refused") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  const DateTime etag = committed(store, kTable, "p", {insert("there", {{"n", std::int32_t{1}}})});
  const auto before = entities_in(store, kTable);
  const struct {
    std::vector<Mutation> writes;
    std::string_view outcome;
  } cases[] = {
      {{insert("there")}, "0 EntityAlreadyExists"},
      {{insert("a"), upsert("b"), insert("there")}, "2 EntityAlreadyExists"},
      {{remove("there", if_match({etag.ticks + 1})), insert("a")}, "0 UpdateConditionNotSatisfied"},
      {{upsert("there"), remove("absent"), insert("a")}, "1 ResourceNotFound"},
      {{remove("there"), {WriteKind::Merge, "absent", kAny, {}}}, "1 ResourceNotFound"},
      {{remove("absent"), insert("there")}, "0 ResourceNotFound"},  // refused at the first of two writes
  };
  for (const auto& c : cases) {
    CAPTURE(c.outcome);
    CHECK(outcome(store.commit(kTable, "p", c.writes)) == c.outcome);
    CHECK(difference(entities_in(store, kTable), before) == "");
  }
  CHECK(outcome(store.commit({"acct", "other"}, "p", cases[0].writes)) == "0 TableNotFound");
}

TEST_CASE("a refused transaction that is unwrapped throws its error") {
  OpenedStore store(test_store());
  const std::vector<Mutation> writes{insert("a")};
  CHECK_THROWS_AS(store.commit(kTable, "p", writes).value(), ServiceException);
}

TEST_CASE("the largest entity is read as written") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  Properties properties;
  for (int i = 0; i < 15; ++i)
    properties.push_back({"p" + std::to_string(i), Binary{std::string(kMaxBinaryBytes, 'x')}});
  const std::string key(kMaxKeyLength, 'k');
  const DateTime timestamp = committed(store, kTable, key, {insert(key, properties)});
  CHECK(entity_at(store, kTable, {key, key}) == Entity{{key, key}, timestamp, properties});
}

}  // namespace
}  // namespace rocktable::TEST_FILE
