#include "client/report/data_lint.h"

#include <doctest/doctest.h>

#include <functional>

namespace rocktable::TEST_FILE {
namespace {

constexpr DateTime kWritten{638'000'000'000'000'000};

Entity stored(std::string partition_key, std::string row_key, Properties properties = {},
              DateTime timestamp = kWritten) {
  return {{std::move(partition_key), std::move(row_key)}, timestamp, std::move(properties)};
}

std::string padded(int number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - digits.size(), '0') + digits;
}

TableData lint(int count, const std::function<Entity(int)>& make) {
  DataLint lint("Orders");
  for (int i = 0; i < count; ++i) lint.add(make(i));
  return lint.finish(true);
}

// `large-partition 10000`
std::string ids_of(const TableData& data) {
  std::string out;
  for (const Finding& finding : data.findings)
    out += (out.empty() ? "" : ", ") + finding.id + " " + std::to_string(finding.count);
  return out;
}

DateTime later(int seconds) { return {kWritten.ticks + std::int64_t{seconds} * 10'000'000}; }

}  // namespace

TEST_CASE("entities, partitions and bytes of a table are added up") {
  DataLint lint("Orders");
  lint.add(stored("a", "1"));
  lint.add(stored("a", "2", {{"n", std::string("abc")}}));
  lint.add(stored("b", "1"));
  const TableData data = lint.finish(false);
  CHECK(data.stored.table == "Orders");
  CHECK(data.stored.entities == 3);
  CHECK(data.stored.partitions == 2);
  CHECK(data.stored.bytes == 3 * 8 + 8 + 2 + 10);
  CHECK_FALSE(data.stored.is_complete);
  CHECK(data.findings.empty());
  CHECK(DataLint("t").finish(true).stored.is_complete);
}

TEST_CASE("large-partition: from 10,000 entities on, with four fifths of the table") {
  const auto table = [](int large, int others) {
    return lint(large + others, [&](int i) {
      return i < large ? stored("a", padded(i, 6)) : stored("b" + padded((i - large) / 50, 6), padded(i, 6));
    });
  };
  CHECK(ids_of(table(9'999, 0)) == "");
  CHECK(ids_of(table(10'000, 2'501)) == "");
  const TableData data = table(10'000, 2'500);
  REQUIRE(ids_of(data) == "large-partition 10000");
  CHECK(data.findings[0].table == "Orders");
  CHECK(data.findings[0].sentence == "The partition `a` has 10,000 of 12,500 entities.");
}

TEST_CASE("small-partitions: from 100 on, nine tenths of the partitions") {
  const auto table = [](int single, int pairs) {
    return lint(single + 2 * pairs, [&](int i) {
      return i < single ? stored("a" + padded(i, 5), "")
                        : stored("b" + padded((i - single) / 2, 5), std::to_string(i % 2));
    });
  };
  CHECK(ids_of(table(99, 0)) == "");
  CHECK(ids_of(table(108, 12)) == "small-partitions 108");
  CHECK(ids_of(table(108, 13)) == "");
  CHECK(table(108, 12).findings[0].sentence == "108 of 120 partitions have one entity each.");
}

TEST_CASE("append-only-keys: partitions that begin with a number were written in their order") {
  const auto table = [](int count, int step, const std::string& prefix) {
    return lint(2 * count, [&](int i) {
      return stored(prefix + padded(2000 + i / 2, 6), std::to_string(i % 2), {}, later(step * (i / 2)));
    });
  };
  CHECK(ids_of(table(50, 1, "")) == "");
  CHECK(ids_of(table(51, 1, "")) == "append-only-keys 50");
  CHECK(ids_of(table(51, -1, "")) == "append-only-keys 50");
  CHECK(ids_of(table(51, 0, "")) == "");   // one import
  CHECK(ids_of(table(51, 1, "p")) == "");  // names: an import writes them in order, too
  const auto scattered = lint(200, [](int i) {
    return stored(padded(2000 + i / 2, 6), std::to_string(i % 2), {}, later(i / 2 % 10 == 0 ? -i : i));
  });
  CHECK(ids_of(scattered) == "");
}

TEST_CASE("unpadded-numbers: keys that end in numbers of different length") {
  const auto table = [](bool pads) {
    std::vector<std::string> keys;
    for (int i = 1; i <= 12; ++i) keys.push_back("item" + (pads ? padded(i, 2) : std::to_string(i)));
    std::sort(keys.begin(), keys.end());
    return lint(12, [&](int i) { return stored("p", keys[static_cast<std::size_t>(i)]); });
  };
  CHECK(ids_of(table(true)) == "");
  const TableData data = table(false);
  REQUIRE(ids_of(data) == "unpadded-numbers 12");
  CHECK(data.findings[0].sentence ==
        "RowKeys end in numbers without leading zeros: `item9` and `item10` are in the wrong order.");
}

TEST_CASE("mixed-types: a property with several types") {
  const auto table = [](int wrong) {
    return lint(10, [&](int i) {
      return stored(
          "p", padded(i, 2),
          {{"Age", i < wrong ? Value(std::string("5")) : Value(std::int32_t{5})}, {"Name", std::string("x")}});
    });
  };
  CHECK(ids_of(table(0)) == "");
  CHECK(ids_of(table(10)) == "");
  const TableData data = table(1);
  REQUIRE(ids_of(data) == "mixed-types 1");
  CHECK(data.findings[0].sentence == "1 property has several types: `Age`: Edm.Int32 in 9, Edm.String in 1.");
}

TEST_CASE("near-limits: four fifths of the size, the properties or a key") {
  const auto one = [](const Entity& entity) { return lint(1, [&](int) { return entity; }); };
  // 838,856 bytes are 80 % of 1 MiB, rounded down to a multiple of 8.
  const auto sized = [](std::size_t bytes) {
    Properties properties;
    for (int i = 0; i < 13; ++i) properties.push_back({padded(i, 2), Binary{std::string(64'000, 'x')}});
    Entity entity = stored("p", "r", std::move(properties));
    const std::size_t rest = bytes - entity_size(entity.key, entity.properties) - 8 - 2 * 4 - 4;
    entity.properties.push_back({"rest", Binary{std::string(rest, 'x')}});
    return entity;
  };
  CHECK(ids_of(one(sized(838'855))) == "");
  CHECK(ids_of(one(sized(838'856))) == "near-limits 1");
  CHECK(one(sized(838'856)).findings[0].sentence ==
        "1 entity is near a limit of the service, the first one with 838,856 of 1,048,576 bytes.");
  const auto many = [](int count) {
    Properties properties;
    for (int i = 0; i < count; ++i) properties.push_back({"p" + std::to_string(i), true});
    return stored("p", "r", std::move(properties));
  };
  CHECK(ids_of(one(many(200))) == "");
  CHECK(ids_of(one(many(201))) == "near-limits 1");
  CHECK(ids_of(one(stored(std::string(408, 'k'), "r"))) == "");
  CHECK(ids_of(one(stored(std::string(409, 'k'), "r"))) == "near-limits 1");
  CHECK(ids_of(one(stored("p", std::string(409, 'k')))) == "near-limits 1");
  CHECK(one(stored("it's", std::string(409, 'k')))
            .findings[0]
            .example.starts_with("Orders(PartitionKey='it%27%27s',RowKey='kkk"));
}

}  // namespace rocktable::TEST_FILE
