// Scans that come again use a column. They find the same, cost the same and end where the scans before them did; and
// they see every write.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "odata/filter_parser.h"
#include "odata/query_plan.h"
#include "storage/rocksdb/memo/column_memo.h"
#include "tests/unit/storage/samples.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr int kPartitions = 3, kRows = 600;  // of each: enough for a column of a partition

std::string name_of(int number) { return std::to_string(10'000 + number); }

std::uint64_t column_bytes(const OpenedStore& store) {
  for (const StoreMetric& metric : store.metrics())
    if (metric.name == "rocktable_store_column_bytes") return metric.value;
  FAIL("the metric is missing");
  return 0;
}

// Rows whose property Number is their number within the table; each fifth has none, each seventh has a text instead.
Properties properties_of(int number) {
  Properties out{{"Name", "n" + std::to_string(number % 10)}, {"Filler", std::string(40, 'x')}};
  if (number % 7 == 0) {
    out.push_back({"Number", std::to_string(number)});
  } else if (number % 5 != 0) {
    out.push_back({"Number", std::int32_t{number}});
  }
  return out;
}

void fill(OpenedStore& store, const TableName& table, int first = 0) {
  REQUIRE(outcome(store.create_table(table)) == "done");
  for (int p = 0; p < kPartitions; ++p)
    for (int row = 0; row < kRows;) {
      std::vector<Mutation> writes;
      for (; row < kRows && writes.size() < 100; ++row)
        writes.push_back(insert(name_of(row), properties_of(first + p * kRows + row)));
      committed(store, table, "p" + std::to_string(p), writes);
    }
}

struct Asked {
  std::string filter;
  int page_size = 1000;
  int progress = 0;      // a scan ends when it has been called so often; 0: never
  bool is_late = false;  // whether the deadline has passed
};

// Returns what a query gives and costs, page by page, as text.
std::string pages(const OpenedStore& store, const TableName& table, const Asked& asked) {
  const std::optional<Filter> filter = parse_filter(asked.filter).value();
  KeyRanges ranges = plan_query(filter).ranges;
  std::string out;
  for (;;) {
    RequestStats stats;
    int questions = 0;
    stats.progress = [&](const RequestStats&) { return asked.progress == 0 || ++questions < asked.progress; };
    const auto resume = store.scan(
        table, ranges, asked.page_size, asked.is_late ? passed() : far_away(),
        [&](const EntityView& entity) {
          out += text_of(to_entity(entity)) + '\n';
          return true;
        },
        &stats, &*filter);
    if (!resume) return out + std::string(to_string(resume.error().code));
    out += "page: " + std::to_string(stats.ranges) + " ranges, " + std::to_string(stats.entities_scanned) +
           " scanned, " + std::to_string(stats.entities_returned) + " returned, " + std::to_string(stats.bytes_read) +
           " bytes\n";
    if (!*resume) return out;
    out += "resume at " + (*resume)->partition_key + "," + (*resume)->row_key + '\n';
    ranges = starting_at(std::move(ranges), **resume);
  }
}

// Runs the query until a column is in use, and returns what it gives then.
std::string with_column(const OpenedStore& store, const TableName& table, const Asked& asked) {
  for (int i = 0; i < 4; ++i) pages(store, table, asked);
  REQUIRE(column_bytes(store) > 0);
  return pages(store, table, asked);
}

TEST_CASE("A scan with a column finds, costs and resumes as one without" * doctest::test_suite(kEmbedded)) {
  const struct {
    Asked asked;
    std::string maker = "Number eq 5";  // a filter whose scans make the column
  } cases[] = {
      {{"Number eq 17"}},
      {{"Number eq 17 or Number eq '7' or Number eq 1193"}},
      {{"Number lt 20"}},  // also true for texts, whose type is another
      {{"Number ge 100 and Number lt 300"}},
      {{"Name eq 'n3' and Number ge 600"}, "Name eq 'none'"},
      {{"Number ge 600 and (Name eq 'n3' or Name eq 'n4')"}},
      {{"not (Number ge 20)"}},  // also true for rows without the property
      {{"Number ne 20"}},        // most rows
      {{"Number eq 5"}},         // none
      {{"Number ge 1100", 7}},
      {{"Number lt 300", 20}},
      {{"Number ge 100 and Number lt 300", 1}},
      {{"Number ge 100 and Number lt 300", 1000, 5}},
      {{"Number eq 17 or Number eq 1193", 1000, 0, true}},
      {{"PartitionKey ge 'p1' and Number lt 600"}, "PartitionKey ge 'p1' and Number eq 5"},
      {{"PartitionKey ge 'p1' and Number lt 600", 30}, "PartitionKey ge 'p1' and Number eq 5"},
      {{"PartitionKey eq 'p1' and Number lt 1000", 30}, "PartitionKey eq 'p1' and Number eq 5"},
      {{"Timestamp lt datetime'1970-01-01T00:00:00Z'"}, "Timestamp lt datetime'1970-01-01T00:00:00Z'"},
      {{"Number eq 17 and PartitionKey ne 'p1'"}, "Number eq 17 and PartitionKey ne 'p1'"},
  };
  OpenedStore store(in_memory());
  fill(store, kTable);
  for (const auto& c : cases) {
    CAPTURE(c.asked.filter);
    CAPTURE(c.asked.page_size);
    store.set_service_properties("acct", c.maker);  // a write ends the columns before
    const std::string first = pages(store, kTable, c.asked);
    CHECK(column_bytes(store) == 0);
    for (int i = 0; i < 3; ++i) pages(store, kTable, {c.maker});
    CHECK(column_bytes(store) > 0);
    for (int i = 0; i < 3; ++i) CHECK(pages(store, kTable, c.asked) == first);
  }
}

TEST_CASE("Random queries find the same with and without a column" * doctest::test_suite(kEmbedded)) {
  Samples samples(11);
  OpenedStore with(in_memory()), without(in_memory());
  for (OpenedStore* store : {&with, &without}) REQUIRE(outcome(store->create_table(kTable)) == "done");
  for (int i = 0; i < 40; ++i) {
    std::vector<Mutation> writes;
    for (int row = 0; row < 40; ++row) {
      Properties properties{{"A", static_cast<std::int32_t>(samples.below(50))}};
      if (samples.one_in(3)) properties.push_back({"B", samples.value()});
      if (samples.one_in(3)) properties.insert(properties.begin(), {"C", samples.key_text(60)});
      writes.push_back(upsert(name_of(row), properties));
    }
    const std::string partition = "p" + samples.key_text();
    for (OpenedStore* store : {&with, &without}) committed(*store, kTable, partition, writes);
  }
  const auto comparison = [&] {
    return "A " + samples.one_of(std::vector<std::string>{"eq", "lt", "ge", "ne"}) + ' ' +
           std::to_string(samples.below(60));
  };
  with_column(with, kTable, {"A eq 7"});
  for (int round = 0; round < 60; ++round) {
    Asked asked{comparison()};
    if (samples.one_in(2)) asked.filter = "(" + asked.filter + ") and A lt " + std::to_string(samples.below(50));
    if (samples.one_in(3)) asked.filter += " and C ge 'a'";
    if (samples.one_in(3)) asked.page_size = static_cast<int>(1 + samples.below(200));
    CAPTURE(asked.filter);
    CAPTURE(asked.page_size);
    without.set_service_properties("acct", "");
    std::string expected = pages(without, kTable, asked), found = pages(with, kTable, asked);
    // The two stores have other timestamps.
    const auto comparable = [](std::string text) {
      for (auto at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1))
        text.erase(at + 1, text.find_first_of(" \n", at) - at - 1);
      return text;
    };
    CHECK(comparable(found) == comparable(expected));
    CHECK(column_bytes(with) > 0);
  }
  CHECK(column_bytes(without) == 0);
}

TEST_CASE("A query after a write sees it, whatever column there was" * doctest::test_suite(kEmbedded)) {
  OpenedStore store(in_memory());
  fill(store, kTable);
  const Asked asked{"Number eq 17 or Number eq 9999"};
  const auto rows = [&] { return std::ranges::count(pages(store, kTable, asked), '('); };
  const auto count = [&] {
    with_column(store, kTable, asked);
    return rows();
  };
  CHECK(count() == 1);
  committed(store, kTable, "p1", {insert("new", {{"Number", 9999}})});
  CHECK(rows() == 2);
  CHECK(count() == 2);
  committed(store, kTable, "p1", {upsert("new", {{"Number", 3}})});
  CHECK(rows() == 1);
  CHECK(count() == 1);
  committed(store, kTable, "p0", {remove(name_of(17))});
  CHECK(rows() == 0);
  CHECK(count() == 0);
  REQUIRE(outcome(store.reset_table(kTable)) == "done");
  CHECK(rows() == 0);
  committed(store, kTable, "p0", {insert("1", {{"Number", 17}})});
  CHECK(rows() == 1);
  REQUIRE(outcome(store.delete_table(kTable)) == "done");
  CHECK(pages(store, kTable, asked) == "TableNotFound");
  fill(store, kTable, 10'000);
  CHECK(count() == 0);
}

TEST_CASE("A restored snapshot has none of the columns before it, on the disk and in memory" *
          doctest::test_suite(kEmbedded)) {
  for (const bool kept : {false, true}) {
    CAPTURE(kept);
    const TestStore place(kept);
    OpenedStore store(place.options());
    fill(store, kTable);
    REQUIRE(store.take_snapshot("before", false).value());
    const Asked asked{"Number eq 17"};
    const std::string before = with_column(store, kTable, asked);
    // As many writes as after the snapshot, so that sequence numbers may meet.
    for (int i = 0; i < 4; ++i) {
      committed(store, kTable, "p0", {upsert(name_of(17), {{"Number", i}})});
      with_column(store, kTable, asked);
      REQUIRE(outcome(store.restore_snapshot("before")) == "done");
      CHECK(column_bytes(store) == 0);
      CHECK(pages(store, kTable, asked) == before);
      CHECK(with_column(store, kTable, asked) == before);
    }
  }
}

TEST_CASE("Tables of one name in two accounts, and two tables, have columns of their own" *
          doctest::test_suite(kEmbedded)) {
  OpenedStore store(in_memory());
  const TableName other_account{"other", "table"}, other_table{"acct", "table2"};
  fill(store, kTable);
  fill(store, other_account, 10'000);
  fill(store, other_table, 20'000);
  const Asked asked{"Number eq 17 or Number eq 10019 or Number eq 20017"};
  for (int i = 0; i < 6; ++i) {
    CHECK(pages(store, kTable, asked).find("Number=17") != std::string::npos);
    CHECK(pages(store, other_account, asked).find("Number=10019") != std::string::npos);
    CHECK(pages(store, other_table, asked).find("Number=20017") != std::string::npos);
  }
  CHECK(column_bytes(store) > 3 * kPartitions * kRows * 8);
}

TEST_CASE("A scan sees its snapshot, also if its column ends meanwhile" * doctest::test_suite(kEmbedded)) {
  OpenedStore store(in_memory());
  fill(store, kTable);
  const std::optional<Filter> filter = parse_filter("Number lt 100").value();
  const auto rows = [&](const std::function<void()>& meanwhile) {
    int seen = 0;
    const auto resume = store.scan(
        kTable, all_keys(), 1000, far_away(),
        [&](const EntityView&) {
          if (++seen == 5) std::jthread(meanwhile).join();
          return true;
        },
        nullptr, &*filter);
    CHECK(resume.has_value());
    return seen;
  };
  const int before = rows([] {});
  for (int i = 0; i < 3; ++i) rows([] {});
  REQUIRE(column_bytes(store) > 0);
  CHECK(rows([&] { committed(store, kTable, "p2", {insert("new", {{"Number", 1}}), remove(name_of(1))}); }) == before);
  // Another scan meanwhile sees the write, and drops the column.
  for (int i = 0; i < 3; ++i) rows([] {});
  CHECK(rows([] {}) == before + 1);
  REQUIRE(column_bytes(store) > 0);
  CHECK(rows([&] {
          committed(store, kTable, "p2", {insert("new2", {{"Number", 1}})});
          pages(store, kTable, {"Number lt 100"});
        }) == before + 1);
}

TEST_CASE("A table that is deleted while a scan uses its column is seen to its end" * doctest::test_suite(kEmbedded)) {
  const TestStore place(true);
  auto store = std::make_unique<OpenedStore>(place.options());
  fill(*store, kTable);
  store.reset();
  store = std::make_unique<OpenedStore>(place.options());  // in a file
  const Asked asked{"Number eq 17 or Number eq 1193"};
  const std::string before = with_column(*store, kTable, asked);
  const std::optional<Filter> filter = parse_filter(asked.filter).value();
  std::string found;
  const auto resume = store->scan(
      kTable, all_keys(), 1000, far_away(),
      [&](const EntityView& entity) {
        if (found.empty()) std::jthread([&] { REQUIRE(outcome(store->delete_table(kTable)) == "done"); }).join();
        found += text_of(to_entity(entity)) + '\n';
        return true;
      },
      nullptr, &*filter);
  REQUIRE(resume.has_value());
  CHECK(before.starts_with(found));
  CHECK(found.find("Number=1193") != std::string::npos);
}

TEST_CASE("Writers and scans at once: each scan sees all rows of its moment, and columns keep within their budget" *
          doctest::test_suite(kEmbedded)) {
  OpenedStore store(in_memory());
  fill(store, kTable);
  fill(store, {"other", "table"});
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::atomic<std::uint64_t> most = 0;
  // Each commit moves the number 100,000 from one row to the next of a partition: one row has it at each moment.
  committed(store, kTable, "moving", {insert("0", {{"Number", 100'000}}), insert("1", {{"Number", 0}})});
  std::jthread writer([&] {
    for (int i = 0; !done; ++i) {
      committed(
          store, kTable, "moving",
          {upsert("0", {{"Number", i % 2 == 0 ? 0 : 100'000}}), upsert("1", {{"Number", i % 2 == 0 ? 100'000 : 0}})});
      // So that columns are made and used between two writes.
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 4 == 0 ? 8 : 0));
    }
  });
  const std::optional<Filter> filter = parse_filter("Number eq 100000").value();
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
      readers.emplace_back([&] {
        for (int round = 0; round < 150; ++round) {
          int rows = 0;
          const auto resume = store.scan(
              kTable, all_keys(), 1000, far_away(), [&](const EntityView&) { return ++rows > 0; }, nullptr, &*filter);
          if (!resume || *resume || rows != 1) ++wrong;
          most = std::max<std::uint64_t>(most, column_bytes(store));
        }
      });
  }
  done = true;
  CHECK(wrong == 0);
  CHECK(most <= ColumnMemo::kBudgetBytes);
}

TEST_CASE("A table whose column exceeds the budget is read, and its scans take no memory" *
          doctest::test_suite(kEmbedded)) {
  OpenedStore store(in_memory());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  const std::string text(30'000, 'x');
  for (int p = 0; p < 10; ++p) {
    std::vector<Mutation> writes;
    for (int row = 0; row < 90; ++row) writes.push_back(insert(name_of(row), {{"Text", text + std::to_string(row)}}));
    committed(store, kTable, std::to_string(p), writes);
  }
  const Asked asked{"Text eq 'none'"};
  const std::string first = pages(store, kTable, asked);
  for (int i = 0; i < 5; ++i) {
    CHECK(pages(store, kTable, asked) == first);
    CHECK(column_bytes(store) == 0);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
