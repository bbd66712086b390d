#include "server/insight/shape_table.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

QueryShapeView shape_of(std::string_view account, std::string_view fingerprint) {
  return {account, "orders", "QueryEntities", "row-range", fingerprint, "", "client/1", ""};
}

ShapeSample sample_of(std::uint64_t scanned, std::uint64_t returned) {
  ShapeSample out;
  out.entities_scanned = scanned;
  out.entities_returned = returned;
  out.duration = std::chrono::milliseconds(1);
  out.method = "GET";
  out.target = "/account/orders()?sig=secret";
  out.partition = scanned;
  return out;
}

}  // namespace

TEST_CASE("requests of one shape add up") {
  ShapeTable table;
  table.add(shape_of("one", "A eq ?"), sample_of(10, 1));
  table.add(shape_of("one", "A eq ?"), sample_of(30, 2));
  table.add(shape_of("one", "B eq ?"), sample_of(1, 1));
  const auto all = table.all();
  CHECK(all.size() == 2);
  const auto& [shape, sums] = all.at(hash_of(shape_of("one", "A eq ?")));
  CHECK(shape.fingerprint == "A eq ?");
  CHECK(sums.requests == 2);
  CHECK(sums.entities_scanned == 40);
  CHECK(sums.entities_returned == 3);
  CHECK(sums.partitions.estimate() == 2);
  CHECK(sums.example == "GET /account/orders()?sig=***");
}

TEST_CASE("accounts are kept apart") {
  ShapeTable table;
  table.add(shape_of("one", "A eq ?"), sample_of(1, 1));
  table.add(shape_of("two", "A eq ?"), sample_of(1, 1));
  CHECK(table.all("one").size() == 1);
  table.clear("one");
  CHECK(table.all().size() == 1);
  CHECK(table.all("one").empty());
  table.clear();
  CHECK(table.all().empty());
}

TEST_CASE("100,000 shapes take bounded memory, and none is lost") {
  ShapeTable table;
  for (int i = 0; i < 100'000; ++i) table.add(shape_of("one", "P" + std::to_string(i) + " eq ?"), sample_of(1, 1));
  const auto all = table.all();
  CHECK(all.size() == ShapeTable::kMaxShapes + 1);
  CHECK(table.beyond_limit() == 90'000);
  std::uint64_t requests = 0;
  for (const auto& [hash, entry] : all) requests += entry.second.requests;
  CHECK(requests == 100'000);
}

TEST_CASE("shapes with long texts take bounded memory, and none is lost") {
  ShapeTable table;
  const std::size_t count = 2 * ShapeTable::kMaxBytes / QueryShape::kMaxText / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = std::string(QueryShape::kMaxText - 20, 'x') + std::to_string(i);
    table.add({"account", "table", "QueryEntities", "table-scan", text, text, "client", "test"}, {});
  }
  const auto all = table.all();
  CHECK(all.size() * 2 * QueryShape::kMaxText < ShapeTable::kMaxBytes * 3 / 2);
  CHECK(all.size() + table.beyond_limit() == count + 1);
  table.clear();
  CHECK(table.beyond_limit() == 0);
  table.add({"account", "table", "QueryEntities", "point", "", "", "client", "test"}, {});
  CHECK(table.beyond_limit() == 0);
}

TEST_CASE("threads count together") {
  ShapeTable table;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&table] {
      for (int i = 0; i < 1'000; ++i) table.add(shape_of("one", i % 2 == 0 ? "A eq ?" : "B eq ?"), sample_of(2, 1));
    });
  for (auto& thread : threads) thread.join();
  const auto all = table.all();
  CHECK(all.size() == 2);
  CHECK(all.at(hash_of(shape_of("one", "A eq ?"))).second.requests == 4'000);
}

}  // namespace rocktable::TEST_FILE
