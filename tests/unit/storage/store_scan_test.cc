// Pages, snapshots, ends and statistics of a scan. Exact costs and plans are tested in scan_test.cc.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "storage/waiter.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

std::vector<Mutation> hundred_rows() {
  std::vector<Mutation> out;
  out.reserve(100);
  for (int row = 0; row < 100; ++row) out.push_back(insert(std::to_string(1000 + row)));
  return out;
}

TEST_CASE("a scan whose deadline has passed makes progress, and stops soon") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  for (int partition = 0; partition < 5; ++partition) {
    committed(store, kTable, std::to_string(partition), hundred_rows());
  }
  std::size_t visited = 0, pages = 0;
  KeyRanges ranges = all_keys();
  for (bool more = true; more; ++pages) {
    std::size_t in_page = 0;
    const auto resume = store.scan(kTable, ranges, 1000, passed(), [&](const EntityView&) {
      ++in_page;
      return false;
    });
    REQUIRE(resume.has_value());
    CHECK(in_page >= 1);
    CHECK(in_page <= 64);
    visited += in_page;
    more = resume->has_value();
    if (more) ranges = starting_at(ranges, **resume);
  }
  CHECK(visited == 500);
  CHECK(pages > 5);
}

TEST_CASE("a page that ends with the last entity has nothing to resume from") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3")});
  const struct {
    int page_size;
    std::optional<EntityKey> resume;
  } cases[] = {{1, EntityKey{"p", "2"}}, {2, EntityKey{"p", "3"}}, {3, std::nullopt}, {4, std::nullopt}};
  for (const auto& c : cases) {
    CAPTURE(c.page_size);
    const auto resume = store.scan(kTable, all_keys(), c.page_size, far_away(), [](const EntityView&) { return true; });
    CHECK(resume.value() == c.resume);
  }
  const auto nothing = store.scan(kTable, {}, 1, far_away(), [](const EntityView&) { return true; });
  CHECK(nothing.value() == std::nullopt);
}

TEST_CASE("a scan sees one snapshot during concurrent writes") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3")});
  std::string seen;
  // The visitor must not call the store, but another thread may.
  const auto resume = store.scan(kTable, all_keys(), 10, far_away(), [&](const EntityView& entity) {
    if (seen.empty()) std::jthread([&] { committed(store, kTable, "p", {remove("2"), insert("4")}); }).join();
    seen += entity.row_key;
    return true;
  });
  CHECK(resume.has_value());
  CHECK(seen == "123");
}

TEST_CASE("a scan of single keys among ranges sees one snapshot too") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3"), insert("5")});
  KeyRanges ranges;
  for (const char* row : {"1", "2", "3", "4"}) ranges.push_back(range_of_key({"p", row}).front());
  ranges.push_back({{"p", "5"}, std::nullopt});
  std::string seen;
  const auto resume = store.scan(kTable, ranges, 10, far_away(), [&](const EntityView& entity) {
    if (seen.empty())
      std::jthread([&] { committed(store, kTable, "p", {remove("2"), insert("4"), insert("6")}); }).join();
    seen += entity.row_key;
    return true;
  });
  CHECK(resume.has_value());
  CHECK(seen == "1235");
}

TEST_CASE("the costs of a request are added to its statistics") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("1"), insert("2"), insert("3"), insert("4")});
  RequestStats stats;
  KeyRanges ranges = range_of_key({"p", "1"});
  ranges.push_back({{"p", "2"}, EntityKey{"p", "4"}});
  const auto odd = [](const EntityView& entity) { return entity.row_key != "2"; };
  REQUIRE(store.scan(kTable, ranges, 10, far_away(), odd, &stats).has_value());
  CHECK(stats.ranges == 2);
  CHECK(stats.entities_scanned == 3);
  CHECK(stats.entities_returned == 2);
  const std::uint64_t key_bytes = is_in_database() ? 14 : 11;
  CHECK(stats.bytes_read == 3 * (key_bytes + 10));  // a record of 10 bytes, without properties
  CHECK(stats.storage_time.count() > 0);
  REQUIRE(store.get(kTable, {"p", "1"}, [](const EntityView&) {}, &stats).has_value());
  REQUIRE(store.get(kTable, {"p", "absent"}, [](const EntityView&) {}, &stats).has_value());
  CHECK(stats.ranges == 4);
  CHECK(stats.entities_scanned == 4);
  CHECK(stats.entities_returned == 3);
}

TEST_CASE("a scan ends when RequestStats::progress returns false, and can be resumed") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  for (const std::string partition : {"a", "b", "c"}) {
    committed(store, kTable, partition, hundred_rows());
  }
  RequestStats stats;
  std::size_t asked = 0, visited = 0;
  stats.progress = [&](const RequestStats& so_far) {
    CHECK(so_far.entities_scanned == visited);
    return ++asked % 2 == 1;
  };
  KeyRanges ranges = all_keys();
  std::size_t pages = 1;
  for (;; ++pages) {
    const auto resume = store.scan(
        kTable, ranges, 1000, far_away(),
        [&](const EntityView&) {
          ++visited;
          return false;
        },
        &stats);
    REQUIRE(resume.has_value());
    if (!*resume) break;
    ranges = starting_at(ranges, **resume);
  }
  CHECK(visited == 300);
  CHECK(pages > 2);
}

// A store in a database has a limit for each request. Half a second of it is left for the last rows.
TEST_CASE("a page of a request that waited for its turn ends before its time is over" *
          doctest::skip(!is_in_database())) {
  const StoreOptions options = test_store();
  OpenedStore store(options);
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  for (int partition = 0; partition < 3; ++partition)
    committed(store, kTable, std::to_string(partition), hundred_rows());
  const Waiter::CallOfThread waited(Waiter::Clock::now() - options.timeout + std::chrono::milliseconds(450));
  const auto resume = store.scan(kTable, all_keys(), 1000, far_away(), [](const EntityView&) { return true; });
  REQUIRE(resume.has_value());
  CHECK(resume->has_value());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
