// Columns return the keys and values that were added, and never take more than their budget.
#include "storage/rocksdb/memo/column.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/unit/storage/samples.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr std::size_t kPlenty = 64 << 20;

struct Row {
  std::optional<Value> value;
  std::size_t bytes;
};

std::optional<ValueView> view_of_optional(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  return view_of(*value);
}

std::map<std::string, Row> random_rows(Samples& samples, std::size_t count) {
  std::map<std::string, Row> rows;
  while (rows.size() < count) {
    const std::string key = samples.one_of(std::array<std::string, 3>{"", "partition1", "partition2"}) +
                            samples.bytes(samples.one_in(20) ? 3000 : 12);
    rows[key] = {samples.one_in(5) ? std::nullopt : std::optional(samples.value()), samples.below(1 << 20)};
  }
  return rows;
}

std::shared_ptr<const Column> column_of(ColumnBudget& budget, const std::map<std::string, Row>& rows) {
  ColumnWriter writer(budget, nullptr);
  for (const auto& [key, row] : rows) REQUIRE(writer.add(key, row.bytes, view_of_optional(row.value)));
  return writer.finish("end", true);
}

TEST_CASE("A column has the rows that were added, in order, and finds them by their keys") {
  Samples samples(3);
  for (const std::size_t count : {0, 1, 15, 16, 17, 255, 256, 257, 1500}) {
    CAPTURE(count);
    ColumnBudget budget(kPlenty);
    const auto rows = random_rows(samples, count);
    const auto column = column_of(budget, rows);
    REQUIRE(column != nullptr);
    CHECK(column->covered_to == "end");
    std::size_t block = 0, row = 0;
    std::string key;
    for (const auto& [expected, values] : rows) {
      REQUIRE(block < column->blocks.size());
      const ColumnBlock& here = *column->blocks[block];
      here.key(row, key);
      REQUIRE(key == expected);
      CHECK(here.value(row) == view_of_optional(values.value));
      CHECK(here.row_bytes(row) == values.bytes);
      const auto place = column->lower_bound(expected);
      CHECK(place.block == block);
      CHECK(place.row == row);
      if (++row == here.rows()) ++block, row = 0;
    }
    CHECK(block == column->blocks.size());
    for (int i = 0; i < 100; ++i) {
      const std::string wanted = samples.one_of(std::array<std::string, 2>{"partition", ""}) + samples.bytes(4);
      const auto place = column->lower_bound(wanted);
      const auto expected = rows.lower_bound(wanted);
      REQUIRE((place.block == column->blocks.size()) == (expected == rows.end()));
      if (expected == rows.end()) continue;
      column->blocks[place.block]->key(place.row, key);
      CHECK(key == expected->first);
    }
  }
}

TEST_CASE("A column that grows stays as it was for those who use it") {
  ColumnBudget budget(kPlenty);
  ColumnWriter first(budget, nullptr);
  for (int i = 100; i < 400; ++i) REQUIRE(first.add(std::to_string(i), 1, std::int64_t{i}));
  const auto half = first.finish("400", false);
  ColumnWriter second(budget, half.get());
  for (int i = 400; i < 700; ++i) REQUIRE(second.add(std::to_string(i), 1, std::int64_t{i}));
  const auto whole = second.finish("700", true);
  const auto rows_of = [](const Column& column) {
    std::size_t rows = 0;
    for (const auto& block : column.blocks) rows += block->rows();
    return rows;
  };
  CHECK(rows_of(*half) == 300);
  CHECK(half->covered_to == "400");
  CHECK_FALSE(half->is_complete);
  CHECK(rows_of(*whole) == 600);
  CHECK(whole->is_complete);
  const auto place = whole->lower_bound("555");
  CHECK(whole->blocks[place.block]->value(place.row) == std::optional<ValueView>(std::int64_t{555}));
}

TEST_CASE("Columns take their budget while they are in use, and no more than that") {
  ColumnBudget budget(100'000);
  const auto fill = [&](std::size_t text) {
    ColumnWriter writer(budget, nullptr);
    std::size_t rows = 0;
    const std::string value(text, 'x');
    while (writer.add(std::to_string(10'000'000 + rows), 1, std::string_view(value))) {
      CHECK(budget.used() <= 100'000);
      ++rows;
    }
    return rows;
  };
  CHECK(fill(0) > 2000);
  CHECK(budget.used() == 0);
  CHECK(fill(100) < 1000);
  CHECK(fill(90'000) <= 2);
  CHECK(budget.used() == 0);
  auto column = [&] {
    ColumnWriter writer(budget, nullptr);
    REQUIRE(writer.add("a", 1, std::nullopt));
    return writer.finish("b", true);
  }();
  CHECK(budget.used() > 0);
  {
    ColumnWriter writer(budget, column.get());
    REQUIRE(writer.add("c", 1, std::string_view("text")));
    const std::size_t before = budget.used();
    const auto longer = writer.finish("d", true);
    CHECK(budget.used() > before);
    column = nullptr;  // its block is in use by the other
    CHECK(budget.used() > before);
  }
  CHECK(budget.used() == 0);
  CHECK_FALSE(budget.take(100'001));
  CHECK(budget.used() == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
