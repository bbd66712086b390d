#include "server/behaviour/boundaries.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "server/behaviour/past_values.h"
#include "storage/mutation.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr TableName kTable{"acct", "orders"};

void fill(OpenedStore& store, int partitions) {
  store.create_table(kTable).value();
  for (int i = 0; i < partitions; ++i)
    for (const char* row : {"a", "b"}) {
      const Mutation write{WriteKind::Insert, row, {}, {}};
      store.commit(kTable, "p" + std::to_string(100 + i), {&write, 1}).value();
    }
}

// Reads the ranges page by page. Returns the number of entities of each page.
std::vector<int> pages_of(const OpenedStore& store, KeyRanges ranges, const std::vector<std::string>& boundaries) {
  std::vector<int> out;
  for (std::optional<EntityKey> next = EntityKey(); next;) {
    ranges = starting_at(ranges, *next);
    KeyRanges page = ranges;
    const auto boundary = cut_at_boundary(page, boundaries);
    out.push_back(0);
    const auto visit = [&](const EntityView&) { return ++out.back() > 0; };
    next = store.scan(kTable, page, 1000, ScanDeadline::max(), visit).value();
    if (!next) next = boundary;
  }
  return out;
}

TEST_CASE("pages end at partition keys, and every second of them is empty") {
  OpenedStore store({{}, true});
  fill(store, 20);
  const auto boundaries = page_boundaries(store, kTable, 4, 0).value();
  REQUIRE(boundaries.size() == 8);
  const auto pages = pages_of(store, all_keys(), boundaries);
  REQUIRE(pages.size() == 9);
  int total = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    CHECK((pages[i] == 0) == (i % 2 == 1));
    total += pages[i];
  }
  CHECK(total == 40);
}

TEST_CASE("boundaries depend on table and seed alone") {
  OpenedStore store({{}, true}), other({{}, true});
  fill(store, 20);
  fill(other, 20);
  CHECK(page_boundaries(store, kTable, 4, 0).value() == page_boundaries(other, kTable, 4, 0).value());
  CHECK(page_boundaries(store, kTable, 4, 0).value() != page_boundaries(store, kTable, 4, 1).value());
  CHECK(page_boundaries(store, kTable, 100, 0).value().size() == 38);  // all but the first
  CHECK(page_boundaries(store, {"acct", "none"}, 4, 0).error().code == ErrorCode::TableNotFound);
}

TEST_CASE("a query within a partition has no boundary, and one of a few partitions only its own") {
  OpenedStore store({{}, true});
  fill(store, 20);
  const auto all = page_boundaries(store, kTable, 100, 0).value();
  KeyRanges one = {{{"p105", ""}, EntityKey{{'p', '1', '0', '5', '\0'}, ""}}};
  CHECK_FALSE(cut_at_boundary(one, all));
  KeyRanges behind = starting_at(all_keys(), {"p119", ""});
  CHECK_FALSE(cut_at_boundary(behind, all));
  KeyRanges none;
  CHECK_FALSE(cut_at_boundary(none, all));
  CHECK(pages_of(store, {{{"p103", ""}, EntityKey{"p105", ""}}}, all) == std::vector<int>{2, 0, 2, 0});
}

TEST_CASE("a replaced value applies until its time, the oldest first") {
  PastValues values;
  const auto at = [](int seconds) { return DateTime{kUnixEpoch.ticks + seconds * kTicksPerSecond}; };
  values.keep("acct", "Orders", "first", {at(0), at(30)});
  values.keep("acct", "ORDERS", "second", {at(1), at(40)});
  CHECK(values.find("acct", "orders", at(5)) == "first");
  CHECK(values.find("acct", "orders", at(30)) == "second");
  CHECK(values.find("acct", "other", at(30)) == std::nullopt);
  CHECK(values.find("acct", "orders", at(40)) == std::nullopt);
  values.keep("acct", "orders", "third", {at(45), at(60)});
  values.forget("another");
  CHECK(values.find("acct", "orders", at(50)) == "third");
  values.forget("acct");
  CHECK(values.find("acct", "orders", at(50)) == std::nullopt);
}

TEST_CASE("a value that was replaced in a time that the clock was turned back from applies no more") {
  PastValues values;
  values.keep("acct", "orders", "former", {{100 * kTicksPerSecond}, {140 * kTicksPerSecond}});
  CHECK(values.find("acct", "orders", {20 * kTicksPerSecond}) == std::nullopt);
  CHECK(values.find("acct", "orders", {120 * kTicksPerSecond}) == std::nullopt);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
