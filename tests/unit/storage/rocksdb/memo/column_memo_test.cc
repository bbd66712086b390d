// Which scans make a column, who uses it, and when it ends.
#include "storage/rocksdb/memo/column_memo.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

using Clock = ColumnMemo::Clock;

constexpr std::uint64_t kRows = 2000;
constexpr TableId kTable{5};

std::string key_of(std::uint64_t number) { return std::to_string(100'000 + number); }

ColumnScan scan_of(std::uint64_t sequence = 1) { return {kTable, "Total", "1", "2", sequence}; }

// Runs a scan of the rows from `first` to before `last`. Returns what it was: `reads`, `makes`, `uses`, or `extends`.
std::string run(ColumnMemo& memo, const ColumnScan& scan, std::uint64_t first = 0, std::uint64_t last = kRows,
                std::size_t text = 0, Clock::time_point now = Clock::now()) {
  auto use = memo.begin_scan(scan, now);
  const bool has_column = use.column != nullptr;
  if (use.maker == nullptr) {
    if (!has_column || !use.column->is_complete) memo.end_scan(scan, last - first, now);
    return has_column ? "uses" : "reads";
  }
  const std::string value(text, 'x');
  for (std::uint64_t i = first; i < last; ++i) {
    const bool taken = text == 0 ? use.maker->add(key_of(i), 1, static_cast<std::int64_t>(i), i == 7)
                                 : use.maker->add(key_of(i), 1, std::string_view(value), i == 7);
    if (!taken) return "gives up";
  }
  use.maker->finish(key_of(last), last == kRows);
  return has_column ? "extends" : "makes";
}

TEST_CASE("The third scan makes a column, and later ones use it") {
  ColumnMemo memo;
  for (const char* expected : {"reads", "reads", "makes", "uses", "uses"}) CHECK(run(memo, scan_of()) == expected);
  CHECK(memo.used() > kRows * 8);
  CHECK(memo.used() < kRows * 40);
}

TEST_CASE("A write ends all columns, and scans of an older state get none") {
  ColumnMemo memo;
  for (int i = 0; i < 3; ++i) run(memo, scan_of(10));
  CHECK(run(memo, scan_of(9)) == "reads");
  CHECK(run(memo, scan_of(10)) == "uses");
  CHECK(run(memo, scan_of(11)) == "reads");
  CHECK(memo.used() == 0);
  CHECK(run(memo, scan_of(10)) == "reads");
  for (const char* expected : {"reads", "makes", "uses"}) CHECK(run(memo, scan_of(11)) == expected);
}

TEST_CASE("A column that a write has ended is not handed out when it is finished") {
  ColumnMemo memo;
  for (int i = 0; i < 2; ++i) run(memo, scan_of(1));
  auto use = memo.begin_scan(scan_of(1));
  REQUIRE(use.maker != nullptr);
  for (std::uint64_t i = 0; i < kRows; ++i) REQUIRE(use.maker->add(key_of(i), 1, std::nullopt, false));
  CHECK(run(memo, scan_of(2)) == "reads");
  use.maker->finish("2", true);
  use = {};
  CHECK(memo.used() == 0);
  CHECK(run(memo, scan_of(1)) == "reads");
  CHECK(run(memo, scan_of(2)) == "reads");
  CHECK(run(memo, scan_of(2)) == "makes");
}

TEST_CASE("Columns are those of one table, property and range") {
  ColumnMemo memo;
  for (int i = 0; i < 3; ++i) run(memo, scan_of());
  ColumnScan table = scan_of(), property = scan_of(), end = scan_of(), begin = scan_of();
  table.table = TableId{6};
  property.property = "Totals";
  end.end = "15";
  begin.begin = "0";
  for (const ColumnScan& other : {table, property, end}) {
    CHECK(run(memo, other) == "reads");
    CHECK(run(memo, scan_of()) == "uses");
  }
  // A wider range replaces the narrower one, because a scan of the narrower one may use its column.
  CHECK(run(memo, begin) == "reads");
  for (const char* expected : {"reads", "makes", "uses"}) CHECK(run(memo, begin) == expected);
  CHECK(run(memo, scan_of()) == "uses");
}

TEST_CASE("A column does not stand for a wider range that came meanwhile") {
  ColumnMemo memo;
  for (int i = 0; i < 2; ++i) run(memo, scan_of());
  auto use = memo.begin_scan(scan_of());
  REQUIRE(use.maker != nullptr);
  REQUIRE(use.maker->add(key_of(0), 1, std::nullopt, false));
  ColumnScan wider = scan_of();
  wider.begin = "0";
  CHECK(run(memo, wider) == "reads");
  use.maker->finish("2", true);
  use = {};
  CHECK(memo.used() == 0);
  for (const char* expected : {"reads", "makes"}) CHECK(run(memo, wider) == expected);
}

TEST_CASE("The pages of a query make one column, part after part") {
  ColumnMemo memo;
  ColumnScan second = scan_of();
  const std::string middle = key_of(800);
  second.begin = middle;
  for (int i = 0; i < 2; ++i) {
    CHECK(run(memo, scan_of(), 0, 800) == "reads");
    CHECK(run(memo, second, 800) == "reads");
  }
  CHECK(run(memo, scan_of(), 0, 800) == "makes");
  CHECK(run(memo, second, 800) == "extends");
  CHECK(memo.begin_scan(scan_of()).column->is_complete);
  CHECK(run(memo, second) == "uses");
}

TEST_CASE("A page after the end of a column has no use for it") {
  ColumnMemo memo;
  for (int i = 0; i < 3; ++i) run(memo, scan_of(), 0, 800);
  ColumnScan later = scan_of();
  const std::string begin = key_of(900);
  later.begin = begin;
  for (int i = 0; i < 4; ++i) CHECK(run(memo, later, 900) == "reads");
}

TEST_CASE("Short scans are not counted") {
  ColumnMemo memo;
  for (int i = 0; i < 5; ++i) CHECK(run(memo, scan_of(), 0, ColumnMemo::kManyRows - 1) == "reads");
}

TEST_CASE("One scan at a time makes a column, and one that fails leaves the place to the next") {
  ColumnMemo memo;
  ColumnScan other = scan_of();
  other.table = TableId{6};
  for (int i = 0; i < 2; ++i) run(memo, scan_of()), run(memo, other);
  auto first = memo.begin_scan(scan_of());
  REQUIRE(first.maker != nullptr);
  CHECK(memo.begin_scan(scan_of()).maker == nullptr);
  CHECK(memo.begin_scan(other).maker == nullptr);
  first = {};  // its scan ends with an exception
  CHECK(run(memo, scan_of()) == "makes");
  CHECK(run(memo, other) == "makes");
}

TEST_CASE("A column beyond the budget is given up, and not tried again before the next write") {
  ColumnMemo memo(1 << 20);
  for (int i = 0; i < 2; ++i) run(memo, scan_of(1));
  CHECK(run(memo, scan_of(1), 0, kRows, 1000) == "gives up");
  CHECK(memo.used() == 0);
  for (int i = 0; i < 3; ++i) CHECK(run(memo, scan_of(1)) == "reads");
  for (const char* expected : {"reads", "reads", "makes"}) CHECK(run(memo, scan_of(2)) == expected);

  // All columns share the budget.
  ColumnScan other = scan_of(2);
  other.table = TableId{6};
  for (int i = 0; i < 2; ++i) run(memo, other, 0, kRows, 500);
  CHECK(run(memo, other, 0, kRows, 500) == "gives up");
  CHECK(run(memo, scan_of(2)) == "uses");
  CHECK(memo.used() <= 1 << 20);
}

TEST_CASE("A column is given up if many rows match, soon in a long scan, and a later scan tries again") {
  for (const std::uint64_t rows : {std::uint64_t{600}, kRows}) {
    CAPTURE(rows);
    ColumnMemo memo;
    for (int i = 0; i < 2; ++i) run(memo, scan_of(), 0, rows);
    auto use = memo.begin_scan(scan_of());
    REQUIRE(use.maker != nullptr);
    std::uint64_t added = 0;
    while (added < rows && use.maker->add(key_of(added), 1, true, added % 2 == 0)) ++added;
    CHECK(added < 1100);
    if (added == rows) use.maker->finish("2", true);
    use = {};
    CHECK(memo.used() == 0);
    for (const char* expected : {"reads", "reads", "makes", "uses"}) CHECK(run(memo, scan_of()) == expected);
  }
}

TEST_CASE("What no scan uses for a minute is dropped") {
  ColumnMemo memo;
  const auto start = Clock::now();
  const auto after = [&](int seconds) { return start + std::chrono::seconds(seconds); };
  ColumnScan other = scan_of();
  other.table = TableId{6};
  for (int i = 0; i < 3; ++i) run(memo, scan_of(), 0, kRows, 0, start), run(memo, other, 0, kRows, 0, start);
  const std::size_t both = memo.used();
  CHECK(memo.drop_idle(after(59)));
  CHECK(memo.used() == both);
  CHECK(run(memo, other, 0, kRows, 0, after(40)) == "uses");
  CHECK(memo.drop_idle(after(61)));
  CHECK(memo.used() == both / 2);
  CHECK(run(memo, other, 0, kRows, 0, after(62)) == "uses");
  CHECK_FALSE(memo.drop_idle(after(130)));
  CHECK(memo.used() == 0);
  for (const char* expected : {"reads", "reads", "makes", "uses"})
    CHECK(run(memo, scan_of(), 0, kRows, 0, after(131)) == expected);
}

TEST_CASE("A column that is dropped while a scan uses it lives until the scan ends") {
  ColumnMemo memo;
  for (int i = 0; i < 3; ++i) run(memo, scan_of());
  auto use = memo.begin_scan(scan_of());
  memo.clear();
  CHECK(use.column->blocks.front()->value(7) == std::optional<ValueView>(std::int64_t{7}));
  CHECK(memo.used() > 0);
  use = {};
  CHECK(memo.used() == 0);
}

TEST_CASE("Thousands of different scans displace each other, but no column") {
  ColumnMemo memo;
  for (int i = 0; i < 3; ++i) run(memo, scan_of());
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "P" + std::to_string(i);
    ColumnScan other = scan_of();
    other.property = name;
    CHECK(run(memo, other) == "reads");
  }
  CHECK(run(memo, scan_of()) == "uses");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
