// The exact costs, ends and pages of scans, and a comparison with full scans.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "odata/filter_parser.h"
#include "odata/query_plan.h"
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/format/key_codec.h"
#include "tests/unit/storage/samples.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

ScanDeadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

// Returns a number with leading zeros, so that the order of texts is that of numbers.
std::string padded(std::size_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

// A store with one table.
class FilledStore {
 public:
  FilledStore() { REQUIRE(store.create_table(kTable).has_value()); }

  void commit(std::string_view partition_key, const std::vector<Mutation>& writes) {
    REQUIRE(store.commit(kTable, partition_key, writes).has_value());
  }

  // Writes partitions p00, p01, ... of rows r0000, r0001, ... whose property Number is the number of the row.
  void fill(std::size_t partitions, std::size_t rows) {
    for (std::size_t p = 0; p < partitions; ++p)
      for (std::size_t row = 0; row < rows;) {
        std::vector<Mutation> writes;
        for (; row < rows && writes.size() < 100; ++row)
          writes.push_back(upsert("r" + padded(row, 4), {{"Number", static_cast<std::int32_t>(row)}}));
        commit("p" + padded(p, 2), writes);
      }
  }

  OpenedStore store{test_store()};
};

// A query as the service runs it, and its results.
struct Query {
  explicit Query(std::string_view text) : filter(parse_filter(text).value()), plan(plan_query(filter)) {}

  // Reads one page from `ranges` and appends the keys found.
  std::optional<EntityKey> page(const OpenedStore& store, const KeyRanges& ranges, int page_size,
                                ScanDeadline deadline) {
    const auto visit = [&](const EntityView& entity) {
      found.push_back({std::string(entity.partition_key), std::string(entity.row_key)});
      return true;
    };
    found_before = found.size();
    const auto resume = store.scan(kTable, ranges, page_size, deadline, visit, &stats, &*filter, is_full);
    REQUIRE(resume.has_value());
    return *resume;
  }

  // Reads all pages and returns their number.
  std::size_t all_pages(const OpenedStore& store, int page_size,
                        const std::function<ScanDeadline()>& deadline = far_away) {
    KeyRanges ranges = plan.ranges;
    for (std::size_t pages = 1;; ++pages) {
      const auto resume = page(store, ranges, page_size, deadline());
      if (!resume) return pages;
      ranges = starting_at(std::move(ranges), *resume);
    }
  }

  std::string cost() const {
    return std::to_string(stats.ranges) + " ranges, " + std::to_string(stats.entities_scanned) + " scanned, " +
           std::to_string(stats.entities_returned) + " returned";
  }

  std::optional<Filter> filter;
  QueryPlan plan;
  RequestStats stats;
  std::vector<EntityKey> found;
  std::size_t found_before = 0;   // the page
  std::function<bool()> is_full;  // as OpenedStore::scan has it
};

std::string text_of(const std::vector<EntityKey>& keys) {
  std::string out;
  for (const EntityKey& key : keys) out += "(" + key.partition_key + "," + key.row_key + ")";
  return out;
}

// Returns a filter with `count` points of partition p00, every `step`-th row.
std::string points(std::size_t count, std::size_t step) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += (i > 0 ? " or " : "") + ("PartitionKey eq 'p00' and RowKey eq 'r" + padded(i * step, 4) + "'");
  return out;
}

}  // namespace

TEST_CASE("a scan reads only the records of its plan") {
  FilledStore store;
  store.fill(10, 100);
  const struct {
    std::string_view filter, cost;
  } cases[] = {
      {"PartitionKey eq 'p03' and RowKey eq 'r0050'", "1 ranges, 1 scanned, 1 returned"},
      {"PartitionKey eq 'p03' and RowKey eq 'r0050' and Number eq 50", "1 ranges, 1 scanned, 1 returned"},
      {"PartitionKey eq 'p03' and RowKey eq 'r0050' and Number eq 51", "1 ranges, 1 scanned, 0 returned"},
      {"PartitionKey eq 'p03' and RowKey eq 'absent'", "1 ranges, 0 scanned, 0 returned"},
      {"PartitionKey eq 'absent' and RowKey eq 'r0050'", "1 ranges, 0 scanned, 0 returned"},
      {"PartitionKey eq 'p03' and RowKey ge 'r0010' and RowKey lt 'r0020'", "1 ranges, 10 scanned, 10 returned"},
      {"PartitionKey eq 'p03' and RowKey gt 'r0010' and RowKey le 'r0020'", "1 ranges, 10 scanned, 10 returned"},
      {"PartitionKey eq 'p03' and RowKey ge 'r0010' and RowKey lt 'r0020' and Number ge 15",
       "1 ranges, 10 scanned, 5 returned"},
      {"PartitionKey eq 'p03' and RowKey ge 'x'", "1 ranges, 0 scanned, 0 returned"},
      {"PartitionKey eq 'p03' and RowKey ne 'r0050'", "2 ranges, 99 scanned, 99 returned"},
      {"PartitionKey eq 'p03'", "1 ranges, 100 scanned, 100 returned"},
      {"PartitionKey eq 'p03' and Number lt 10", "1 ranges, 100 scanned, 10 returned"},
      {"PartitionKey eq 'absent'", "1 ranges, 0 scanned, 0 returned"},
      {"PartitionKey eq 'p03' or PartitionKey eq 'p07'", "2 ranges, 200 scanned, 200 returned"},
      {"(PartitionKey eq 'p03' or PartitionKey eq 'p07') and RowKey lt 'r0005'", "2 ranges, 10 scanned, 10 returned"},
      {"PartitionKey eq 'p03' or PartitionKey eq 'p07' and RowKey eq 'r0001'", "2 ranges, 101 scanned, 101 returned"},
      {"PartitionKey ge 'p03' and PartitionKey lt 'p05'", "1 ranges, 200 scanned, 200 returned"},
      {"PartitionKey ge 'p03' and PartitionKey lt 'p05' and RowKey eq 'r0001'", "1 ranges, 200 scanned, 2 returned"},
      {"RowKey eq 'r0001'", "1 ranges, 1000 scanned, 10 returned"},
      {"Number lt 1", "1 ranges, 1000 scanned, 10 returned"},
      {"true", "1 ranges, 1000 scanned, 1000 returned"},
      {"PartitionKey eq 'p03' and PartitionKey eq 'p04'", "0 ranges, 0 scanned, 0 returned"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    Query query(c.filter);
    CHECK(query.all_pages(store.store, 100'000) == 1);
    CHECK(query.cost() == c.cost);
    CHECK(query.found.size() == query.stats.entities_returned);
  }
}

TEST_CASE("the cost of point reads is independent of the size of the table") {
  for (const std::size_t rows : {200u, 5'000u}) {
    CAPTURE(rows);
    FilledStore store;
    store.fill(2, rows);
    Query there(points(100, 1)), half_there(points(100, rows / 50));
    there.all_pages(store.store, 1000);
    half_there.all_pages(store.store, 1000);
    CHECK(there.plan.plan_class == PlanClass::Point);
    CHECK(there.cost() == "100 ranges, 100 scanned, 100 returned");
    CHECK(half_there.cost() == "100 ranges, 50 scanned, 50 returned");
  }
}

// Keys are longer in a database.
TEST_CASE("bytes read are those of the keys and records scanned" * doctest::test_suite(kEmbedded)) {
  FilledStore store;
  store.fill(3, 50);
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < 50; ++row) {
    std::string record;
    encode_entity(record, DateTime{}, {{"Number", static_cast<std::int32_t>(row)}});
    bytes += record.size() + encode_entity_key(TableId{1}, "p01", "r" + padded(row, 4)).size();
  }
  Query partition("PartitionKey eq 'p01'"), none_of_it("PartitionKey eq 'p01' and Number lt 0"),
      absent("PartitionKey eq 'absent'");
  for (Query* query : {&partition, &none_of_it, &absent}) query->all_pages(store.store, 1000);
  CHECK(partition.stats.bytes_read == bytes);
  CHECK(none_of_it.stats.bytes_read == bytes);
  CHECK(absent.stats.bytes_read == 0);
}

TEST_CASE("a look-up costs one range, and one record if it exists") {
  FilledStore store;
  store.fill(1, 10);
  RequestStats stats;
  const auto ignore = [](const EntityView&) {};
  CHECK(store.store.get(kTable, {"p00", "r0003"}, ignore, &stats).value());
  CHECK(stats.ranges == 1);
  CHECK(stats.entities_scanned == 1);
  CHECK(stats.entities_returned == 1);
  const auto bytes = stats.bytes_read;
  CHECK(bytes > 0);
  CHECK_FALSE(store.store.get(kTable, {"p00", "absent"}, ignore, &stats).value());
  CHECK(stats.ranges == 2);
  CHECK(stats.entities_scanned == 1);
  CHECK(stats.bytes_read == bytes);
}

TEST_CASE("a missing table costs only time") {
  FilledStore store;
  RequestStats stats;
  const TableName absent{"acct", "absent"};
  CHECK_FALSE(store.store.get(absent, {"p", "r"}, [](const EntityView&) {}, &stats).has_value());
  CHECK_FALSE(
      store.store.scan(absent, all_keys(), 1, far_away(), [](const EntityView&) { return true; }, &stats).has_value());
  CHECK_FALSE(store.store.commit(absent, "p", std::vector{upsert("r")}, &stats).has_value());
  CHECK(stats.ranges == 0);
  CHECK(stats.entities_scanned == 0);
  CHECK(stats.storage_time.count() > 0);
}

TEST_CASE("a scan past its deadline finds all rows when it is resumed") {
  FilledStore store;
  store.fill(3, 300);
  const std::string_view filters[] = {
      "true",
      "Number lt 10",
      "PartitionKey eq 'p01'",
      "PartitionKey ge 'p01' and Number eq 299",
      "(PartitionKey eq 'p00' or PartitionKey eq 'p02') and RowKey ge 'r0100' and RowKey lt 'r0200'",
      "PartitionKey eq 'p00' and (RowKey eq 'r0001' or RowKey eq 'r0002' or RowKey eq 'absent')"};
  for (const std::string_view filter : filters) {
    CAPTURE(filter);
    Query whole(filter), passed(filter), short_of_time(filter);
    REQUIRE(whole.all_pages(store.store, 100'000) == 1);
    const std::size_t pages = passed.all_pages(store.store, 100'000, [] { return in(std::chrono::milliseconds(-1)); });
    short_of_time.all_pages(store.store, 100'000, [] { return in(std::chrono::milliseconds(1)); });
    CHECK(text_of(passed.found) == text_of(whole.found));
    CHECK(text_of(short_of_time.found) == text_of(whole.found));
    CHECK(passed.stats.entities_scanned == whole.stats.entities_scanned);  // no record is read twice
    CHECK(short_of_time.stats.entities_scanned == whole.stats.entities_scanned);
    CHECK(pages == whole.stats.entities_scanned);  // each page reads one record
  }
}

TEST_CASE("progress is called regularly, and ends a scan with the key to resume from") {
  FilledStore store;
  store.fill(3, 300);
  Query query("true");
  std::size_t asked = 0;
  std::uint64_t scanned_before = 0;
  query.stats.progress = [&](const RequestStats& stats) {
    ++asked;
    CHECK(&stats == &query.stats);
    CHECK(stats.entities_scanned > scanned_before);
    CHECK(stats.entities_scanned - scanned_before <= 64);
    CHECK(stats.entities_scanned == query.found.size());
    scanned_before = stats.entities_scanned;
    return true;
  };
  CHECK(query.page(store.store, all_keys(), 100'000, far_away()) == std::nullopt);
  CHECK(asked >= 900 / 64);
  CHECK(asked <= 900 / 64 + 1);

  for (const std::size_t patience : {1u, 2u, 5u}) {
    CAPTURE(patience);
    Query ended("true");
    std::size_t calls = 0;
    ended.stats.progress = [&](const RequestStats&) { return ++calls < patience; };
    const auto resume = ended.page(store.store, all_keys(), 100'000, far_away());
    REQUIRE(resume.has_value());
    CHECK(calls == patience);
    CHECK(ended.found.size() == (patience - 1) * 64 + 1);
    ended.stats.progress = nullptr;
    CHECK(ended.page(store.store, starting_at(all_keys(), *resume), 100'000, far_away()) == std::nullopt);
    CHECK(text_of(ended.found) == text_of(query.found));
    CHECK(ended.stats.entities_scanned == 900);
  }
}

TEST_CASE("pages of every size give all rows, and read no record twice") {
  FilledStore store;
  store.fill(4, 60);
  constexpr std::string_view kPointsAndRanges =
      "PartitionKey eq 'p00' and RowKey eq 'r0001' or PartitionKey eq 'p01' and RowKey ge 'r0010' or "
      "PartitionKey eq 'p03' and (RowKey eq 'r0005' or RowKey eq 'absent' or RowKey gt 'r0055')";
  const std::string_view filters[] = {"true", "Number ge 50", "PartitionKey eq 'p01'", kPointsAndRanges,
                                      "PartitionKey eq 'p00' and RowKey eq 'absent'"};
  for (const std::string_view filter : filters) {
    CAPTURE(filter);
    Query whole(filter);
    REQUIRE(whole.all_pages(store.store, 100'000) == 1);
    for (int page_size = 1; page_size <= static_cast<int>(whole.found.size()) + 2; ++page_size) {
      CAPTURE(page_size);
      Query paged(filter);
      const std::size_t pages = paged.all_pages(store.store, page_size);
      REQUIRE(text_of(paged.found) == text_of(whole.found));
      REQUIRE(paged.stats.entities_scanned == whole.stats.entities_scanned);
      // A full page has a successor if rows are left to read.
      const std::size_t full = whole.found.size() / static_cast<std::size_t>(page_size);
      REQUIRE(pages >= std::max<std::size_t>(full, 1));
      REQUIRE(pages <= full + 1);
    }
  }
}

TEST_CASE("a page ends when its entities reach 16 MiB, and none is skipped") {
  FilledStore store;
  constexpr std::size_t kSize = 1'000'000, kCount = 40;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Mutation write{WriteKind::Insert, "r" + std::to_string(100 + i), {}, {{"Text", std::string(kSize, 'x')}}};
    store.store.commit(kTable, "p", {&write, 1}).value();
  }
  Query query("true");
  std::size_t pages = 0;
  std::optional<EntityKey> next = EntityKey{};
  while (next) {
    const std::size_t before = query.found.size();
    next = query.page(store.store, starting_at(all_keys(), *next), 1000, far_away());
    ++pages;
    if (next)
      CHECK(query.found.size() - before == kMaxPageBytes / kSize + 1);  // including the entity that reaches the limit
  }
  CHECK(pages == 3);
  CHECK(query.found.size() == kCount);
  CHECK(query.stats.entities_scanned == kCount);
}

// --- Against a full scan -----------------------------------------------------------------------------------

namespace {

// Adjacent keys, prefixes of each other, and characters whose UTF-16 order differs from their byte order.
const std::string kKeys[] = {"",
                             "!",
                             "a",
                             "aa",
                             "ab",
                             "b",
                             "\xEE\x80\x80",
                             "\xEF\xBF\xBD",
                             "\xF0\x9F\x98\x80",
                             "\xF0\x9F\x98\x80z",
                             "a\xF0\x9F\x98\x80"};

std::string random_leaf(Samples& random) {
  static const std::string kOperators[] = {"eq", "ne", "gt", "ge", "lt", "le"};
  const std::string& op = random.one_of(kOperators);
  switch (random.below(8)) {
    case 0:
      return "A " + op + " " + std::to_string(random.below(4));
    case 1:
      return random.one_in(2) ? "B" : "true";
    case 2:
      return "'" + random.one_of(kKeys) + "' " + op + " RowKey";
    case 3:
      return "PartitionKey eq '" + random.one_of(kKeys) + "' and RowKey eq '" + random.one_of(kKeys) + "'";
    default:
      return (random.one_in(2) ? "PartitionKey " : "RowKey ") + op + " '" + random.one_of(kKeys) + "'";
  }
}

std::string random_filter(Samples& random, int depth) {
  if (depth == 0 || random.one_in(5)) return random_leaf(random);
  if (random.one_in(5)) return "not (" + random_filter(random, depth - 1) + ")";
  std::string out = "(" + random_filter(random, depth - 1) + ")";
  const std::string joint = random.one_in(2) ? " and " : " or ";
  for (std::size_t terms = 1 + random.below(3); terms > 0; --terms)
    out += joint + "(" + random_filter(random, depth - 1) + ")";
  return out;
}

// Two thirds of all pairs of keys, some without one or both properties; a few are deleted again.
std::map<EntityKey, Properties, KeyOrder> fill_randomly(FilledStore& store, Samples& random) {
  std::map<EntityKey, Properties, KeyOrder> out;
  for (const std::string& partition_key : kKeys)
    for (const std::string& row_key : kKeys) {
      if (random.one_in(3)) continue;
      Properties properties;
      if (!random.one_in(4)) properties.push_back({"A", static_cast<std::int32_t>(random.below(4))});
      if (!random.one_in(4)) properties.push_back({"B", random.one_in(2)});
      store.commit(partition_key, {upsert(row_key, properties)});
      if (random.one_in(8)) {
        store.commit(partition_key, {{WriteKind::Delete, row_key, {Condition::Kind::Any, {}}, {}}});
      } else {
        out[{partition_key, row_key}] = properties;
      }
    }
  return out;
}

}  // namespace

TEST_CASE("a planned scan finds what a full scan finds, in order, and reads only its ranges") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Samples random(seed);
    FilledStore store;
    const auto entities = fill_randomly(store, random);
    std::set<PlanClass> classes;
    for (int round = 0; round < 600; ++round) {
      const std::string text = random_filter(random, 3);
      CAPTURE(text);
      Query query(text);
      CAPTURE(to_string(query.plan));
      classes.insert(query.plan.plan_class);

      std::vector<EntityKey> expected;
      std::uint64_t in_ranges = 0;
      for (const auto& [key, properties] : entities) {
        const auto views = view_of(properties);
        if (matches(*query.filter, {key.partition_key, key.row_key, DateTime{}, views})) expected.push_back(key);
        in_ranges += static_cast<std::uint64_t>(
            std::ranges::count_if(query.plan.ranges, [&](const KeyRange& range) { return contains(range, key); }));
      }
      const int page_size = random.one_in(2) ? 100'000 : static_cast<int>(1 + random.below(20));
      const std::size_t pages = query.all_pages(store.store, page_size);
      REQUIRE(text_of(query.found) == text_of(expected));
      REQUIRE(query.stats.entities_scanned == in_ranges);
      if (pages == 1) REQUIRE(query.stats.ranges == query.plan.ranges.size());
    }
    CHECK(classes.size() == 5);
  }
}

// Each transaction writes one number to all rows of a partition: two numbers in a scan mean two snapshots.
TEST_CASE("a scan of many ranges sees one snapshot while a writer writes") {
  constexpr std::size_t kRows = 50;
  FilledStore store;
  const auto write_all = [&](std::int32_t number) {
    std::vector<Mutation> writes;
    writes.reserve(kRows);
    for (std::size_t row = 0; row < kRows; ++row) writes.push_back(upsert("r" + padded(row, 4), {{"N", number}}));
    store.commit("p00", writes);
  };
  write_all(0);
  std::string filter;  // points and ranges between them
  for (std::size_t row = 0; row < kRows; row += 10)
    filter += (row > 0 ? " or " : "") + ("PartitionKey eq 'p00' and RowKey eq 'r" + padded(row, 4) + "'") +
              " or PartitionKey eq 'p00' and RowKey ge 'r" + padded(row + 3, 4) + "' and RowKey lt 'r" +
              padded(row + 8, 4) + "'";
  const QueryPlan plan = Query(filter).plan;
  REQUIRE(plan.ranges.size() == 10);

  std::atomic<bool> done = false;
  std::atomic<std::int32_t> written = 0;
  std::jthread writer([&] {
    while (!done) write_all(++written);
  });
  std::set<std::int32_t> numbers_of_scans;
  std::size_t torn = 0, incomplete = 0;
  const auto give_up = in(std::chrono::seconds(20));
  for (int round = 0; round < 300 || (numbers_of_scans.size() < 20 && std::chrono::steady_clock::now() < give_up);
       ++round) {
    std::set<std::int32_t> numbers;
    std::size_t rows = 0;
    const auto visit = [&](const EntityView& entity) {
      numbers.insert(std::get<std::int32_t>(entity.find("N").value()));
      ++rows;
      if (rows % 10 == 0) std::this_thread::yield();
      return true;
    };
    const auto resume = store.store.scan(kTable, plan.ranges, 1000, far_away(), visit);
    if (!resume || *resume || rows != 30) ++incomplete;
    if (numbers.size() != 1) ++torn;
    numbers_of_scans.insert(numbers.begin(), numbers.end());
  }
  done = true;
  CHECK(torn == 0);
  CHECK(incomplete == 0);
  CHECK(numbers_of_scans.size() >= 20);  // the writer made progress
}

namespace {

// A table in several files of RocksDB, because each close of the store leaves one: partitions p00 .. p29 of rows r0000
// .. r0099, of 6 KB each.
struct LargeTable {
  static constexpr std::size_t kPartitions = 30, kRows = 100, kFiles = 6;

  LargeTable() {
    const std::string text(6'000, 'x');
    for (std::size_t p = 0; p < kPartitions; ++p) {
      if (p % (kPartitions / kFiles) == 0) reopen();
      if (p == 0) REQUIRE(store->create_table(kTable).has_value());
      std::vector<Mutation> writes;
      for (std::size_t row = 0; row < kRows; ++row)
        writes.push_back(upsert("r" + padded(row, 4), {{"Number", static_cast<std::int32_t>(row)}, {"Text", text}}));
      REQUIRE(store->commit(kTable, "p" + padded(p, 2), writes).has_value());
    }
    reopen();
  }

  void reopen() {
    store.reset();
    store = std::make_unique<OpenedStore>(place.options());
  }

  TestStore place;
  std::unique_ptr<OpenedStore> store;
};

// Returns whether entities were counted that this thread did not visit: at most 64 are between two calls of
// `progress`.
struct SecondThread {
  explicit SecondThread(RequestStats& stats) {
    stats.progress = [this](const RequestStats& now) {
      seen |= now.entities_scanned > before + 64;
      before = now.entities_scanned;
      return true;
    };
  }

  std::uint64_t before = 0;
  bool seen = false;
};

std::string rows_of_all_partitions(std::initializer_list<std::size_t> rows) {
  std::string out;
  for (std::size_t p = 0; p < LargeTable::kPartitions; ++p)
    for (const std::size_t row : rows) out += "(p" + padded(p, 2) + ",r" + padded(row, 4) + ")";
  return out;
}

}  // namespace

TEST_CASE("a long scan finds the same in the same order on one thread and on two") {
  LargeTable table;
  for (const int page_size : {1, 2, 7, 11, 12, 13, 15, 19, 20, 21, 31, 59, 60, 61, 1000}) {
    CAPTURE(page_size);
    Query query("Number eq 17 or Number eq 99");
    const std::size_t pages = query.all_pages(*table.store, page_size);
    CHECK(text_of(query.found) == rows_of_all_partitions({17, 99}));
    CHECK(query.stats.entities_scanned == LargeTable::kPartitions * LargeTable::kRows);
    CHECK(query.stats.entities_returned == 60);
    // Row 99 of the last partition is the last row: a page that ends with it has no successor.
    CHECK(pages == (60 + static_cast<std::size_t>(page_size) - 1) / static_cast<std::size_t>(page_size));
  }
  Query half("Number ge 50");  // more than the second thread copies
  half.all_pages(*table.store, 100'000);
  CHECK(half.found.size() == LargeTable::kPartitions * LargeTable::kRows / 2);
  CHECK(std::is_sorted(half.found.begin(), half.found.end(), [](const EntityKey& a, const EntityKey& b) {
    return std::tie(a.partition_key, a.row_key) < std::tie(b.partition_key, b.row_key);
  }));
}

TEST_CASE("a long scan uses a second thread, unless progress sleeps or another long scan runs" *
          doctest::test_suite(kEmbedded)) {
  if (std::thread::hardware_concurrency() < 2) return;
  LargeTable table;
  bool shared = false;
  for (int round = 0; round < 200 && !shared; ++round) {  // on a busy machine, `progress` may seem to sleep
    Query query("Number lt 0");
    SecondThread second(query.stats);
    query.all_pages(*table.store, 1000);
    CHECK(query.stats.entities_scanned == LargeTable::kPartitions * LargeTable::kRows);
    shared = second.seen;
    table.store->set_service_properties("acct", "");  // a write: else a column replaces the scan
  }
  CHECK(shared);

  Query resting("Number lt 0");
  SecondThread none(resting.stats);
  resting.stats.progress = [&, watch = resting.stats.progress](const RequestStats& stats) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return watch(stats);
  };
  resting.all_pages(*table.store, 1000);
  CHECK_FALSE(none.seen);
  CHECK(resting.stats.entities_scanned == LargeTable::kPartitions * LargeTable::kRows);
}

TEST_CASE("a page ends with the entity that fills it, on one thread and on two") {
  const LargeTable large;
  for (const std::string_view text : {"Number eq 42", "PartitionKey ge 'p03' and Number ge 95", "Number lt 1"}) {
    CAPTURE(text);
    Query whole(text), bounded(text);
    whole.all_pages(*large.store, 100'000);
    std::size_t too_long = 0;
    bounded.is_full = [&] {
      const std::size_t on_page = bounded.found.size() - bounded.found_before;
      if (on_page > 3) ++too_long;
      return on_page >= 3;
    };
    const std::size_t pages = bounded.all_pages(*large.store, 100'000);
    CHECK(text_of(bounded.found) == text_of(whole.found));
    CHECK(too_long == 0);
    CHECK(pages >= whole.found.size() / 3);
  }
}

TEST_CASE("a long scan ends at the deadline or by progress, and resumes without a gap") {
  LargeTable table;
  for (const int questions : {2, 10, 18, 20, 25, 30, 35, 40}) {
    CAPTURE(questions);
    Query query("Number eq 17");
    int asked = 0;
    query.stats.progress = [&](const RequestStats&) { return ++asked % questions != 0; };
    query.all_pages(*table.store, 1000);
    CHECK(text_of(query.found) == rows_of_all_partitions({17}));
    CHECK(query.stats.entities_scanned == LargeTable::kPartitions * LargeTable::kRows);
  }
  Query short_of_time("Number eq 17");
  short_of_time.all_pages(*table.store, 1000, [] { return in(std::chrono::milliseconds(2)); });
  CHECK(text_of(short_of_time.found) == rows_of_all_partitions({17}));
}

TEST_CASE("a long scan sees its whole table, also if the table is deleted meanwhile") {
  for (const int question : {1, 2, 5, 20}) {
    CAPTURE(question);
    LargeTable table;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // only files of level 0 outlive the table
    Query query("Number eq 17");
    int asked = 0;
    query.stats.progress = [&](const RequestStats&) {
      if (++asked == question) REQUIRE(table.store->delete_table(kTable).has_value());
      return true;
    };
    REQUIRE_FALSE(query.page(*table.store, query.plan.ranges, 1000, far_away()).has_value());
    CHECK(text_of(query.found) == rows_of_all_partitions({17}));
    CHECK_FALSE(table.store->get_table(kTable).has_value());
  }
}

TEST_CASE("a long scan does not see concurrent writes") {
  LargeTable table;
  for (const int question : {1, 5, 20}) {
    CAPTURE(question);
    Query query("Number eq 17");
    int asked = 0;
    query.stats.progress = [&](const RequestStats&) {
      if (++asked != question) return true;
      for (std::size_t p = 0; p < LargeTable::kPartitions; ++p) {
        const std::vector<Mutation> writes = {
            upsert("r0017", {{"Number", static_cast<std::int32_t>(17)}}),
            upsert("r0018-" + std::to_string(question), {{"Number", static_cast<std::int32_t>(17)}})};
        REQUIRE(table.store->commit(kTable, "p" + padded(p, 2), writes).has_value());
      }
      return true;
    };
    query.all_pages(*table.store, 1000);
    std::size_t expected = LargeTable::kPartitions;
    for (const int earlier : {1, 5, 20})
      if (earlier < question) expected += LargeTable::kPartitions;
    CHECK(query.found.size() == expected);
  }
}

TEST_CASE("concurrent long scans find all rows") {
  LargeTable table;
  std::vector<std::string> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& text : found)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) {
          Query query("Number eq 17");
          query.all_pages(*table.store, 1000);
          text = text_of(query.found);
        }
      });
  }
  for (const auto& text : found) CHECK(text == rows_of_all_partitions({17}));
}

}  // namespace rocktable::TEST_FILE
