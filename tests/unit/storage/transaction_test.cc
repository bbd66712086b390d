// Large transactions look up many rows at once, and skip rows that one step of an iterator shows to be
// missing. They must find all existing rows.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/storage/samples.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

std::set<std::string> rows_in(const OpenedStore& store, const std::string& partition) {
  std::set<std::string> rows;
  for (const Entity& entity : entities_in(store, kTable))
    if (entity.key.partition_key == partition) rows.insert(entity.key.row_key);
  return rows;
}

// Returns `count` different rows of a partition, in random order.
std::vector<std::string> some_rows(Samples& samples, std::size_t count) {
  std::vector<std::string> rows;
  while (rows.size() < count) {
    std::string row = "row" + std::to_string(samples.below(60));
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(std::move(row));
  }
  return rows;
}

// Returns the expected refusal of a transaction, or nullopt if it succeeds.
std::optional<std::size_t> first_refused(const std::vector<Mutation>& writes, const std::set<std::string>& there) {
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (there.contains(writes[i].row_key) == (writes[i].kind == WriteKind::Insert)) return i;
  }
  return std::nullopt;
}

TEST_CASE("transactions of many rows find all existing rows, in any order of writes") {
  OpenedStore store(test_store());
  REQUIRE(store.create_table(kTable).has_value());
  committed(store, kTable, "o", {insert("row7")});
  committed(store, kTable, "q", {insert("row7")});
  Samples samples(20);
  std::set<std::string> there;
  int done = 0, refused = 0;
  for (int round = 0; round < 2'000; ++round) {
    const WriteKind kind = samples.one_of(std::array{WriteKind::Insert, WriteKind::Merge, WriteKind::Delete});
    const bool fitting = !samples.one_in(4);  // otherwise random, and mostly refused
    std::vector<Mutation> writes;
    for (auto& row : some_rows(samples, 1 + samples.below(40))) {
      if (fitting && there.contains(row) == (kind == WriteKind::Insert)) continue;
      writes.push_back({kind, std::move(row), kAny, {}});
    }
    if (writes.empty()) continue;
    CAPTURE(round);
    const auto result = store.commit(kTable, "p", writes);
    const auto expected = first_refused(writes, there);
    REQUIRE(result.has_value() == !expected.has_value());
    if (expected) {
      CHECK(result.error().position == *expected);
      ++refused;
    } else {
      for (const auto& write : writes) {
        if (kind == WriteKind::Insert) there.insert(write.row_key);
        if (kind == WriteKind::Delete) there.erase(write.row_key);
      }
      ++done;
    }
    if (round % 50 == 0) CHECK(rows_in(store, "p") == there);
  }
  CHECK(rows_in(store, "p") == there);
  CHECK(done > 500);
  CHECK(refused > 100);
}

// Keys are case-sensitive; only names of tables and accounts are not. Source:
// learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model
TEST_CASE("keys that differ only in case are different entities, also within one transaction") {
  OpenedStore store(test_store());
  REQUIRE(store.create_table(kTable).has_value());
  const std::vector<Mutation> writes{insert("row", {{"n", 1}}), insert("ROW", {{"n", 2}}), insert("Row", {{"n", 3}})};
  committed(store, kTable, "p", writes);
  committed(store, kTable, "P", writes);
  CHECK(rows_in(store, "p") == std::set<std::string>{"ROW", "Row", "row"});
  CHECK(rows_in(store, "P") == std::set<std::string>{"ROW", "Row", "row"});
  CHECK(outcome(store.commit(kTable, "p", std::vector<Mutation>{insert("rOW"), insert("Row")})) ==
        "1 EntityAlreadyExists");
  committed(store, kTable, "p", {remove("row"), upsert("ROW", {{"n", 4}}), insert("rOW")});
  CHECK(rows_in(store, "p") == std::set<std::string>{"ROW", "Row", "rOW"});
  CHECK(entity_at(store, kTable, {"p", "ROW"})->properties == Properties{{"n", 4}});
  CHECK(entity_at(store, kTable, {"p", "Row"})->properties == Properties{{"n", 3}});
  CHECK(entity_at(store, kTable, {"P", "row"})->properties == Properties{{"n", 1}});
}

}  // namespace
}  // namespace rocktable::TEST_FILE
