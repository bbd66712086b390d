#include "client/report/prices.h"

#include <doctest/doctest.h>

#include "client/report/insight_report.h"
#include "client/report/transactions.h"
#include "odata/files/file_error.h"
#include "tests/unit/client/report/report_samples.h"

namespace rocktable::TEST_FILE {
namespace {

const std::string kPricesText =
    R"({"version": 1, "date": "2026-11-01", "source": "https://example.com", "currency": "EUR",
 "transactionsPer10000": 0.5, "storagePerGigabyteMonth": 0.25})";

std::string refusal_of_prices(const std::string& from, const std::string& to) {
  std::string text = kPricesText;
  text.replace(text.find(from), from.size(), to);
  try {
    static_cast<void>(parse_prices(text, "p.json"));
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("prices are read, and mistakes are told") {
  const Prices prices = parse_prices(kPricesText, "p.json");
  CHECK(prices.date == "2026-11-01");
  CHECK(prices.currency == "EUR");
  CHECK(prices.transactions_per_10000 == 0.5);
  CHECK(prices.storage_per_gigabyte_month == 0.25);
  CHECK(refusal_of_prices("2026-11-01", "2026-13") == "p.json:1:24: date: must be a date such as 2026-11-01");
  CHECK(refusal_of_prices("https://example.com", "") == "p.json:1:48: source: must not be empty");
  CHECK(refusal_of_prices("0.5", "-1") == "p.json:2:26: transactionsPer10000: must be from 0 to 1e+06");
  CHECK(refusal_of_prices("\"currency\"", "\"coin\"").starts_with("p.json:1:79: coin: unknown property"));
  CHECK(refusal_of_prices(", \"storagePerGigabyteMonth\": 0.25", "").empty());
}

TEST_CASE("an operation costs what its kind costs, if the list has that") {
  std::string text = kPricesText;
  text.replace(text.find("\"storage"), 0, R"("operationsPer10000": {"scan": 6, "delete": 0}, )");
  const Prices prices = parse_prices(text, "p.json");
  ShapeStatistics scan = read_shape("a", "table-scan", "f", {10'000});
  ShapeStatistics deletion = read_shape("a", "", "", {20'000});
  deletion.operation = "DeleteEntity";
  ShapeStatistics insertion = read_shape("b", "", "", {10'000});
  insertion.operation = "InsertEntity";
  const CostTable costs = cost_of(report_of({deletion, insertion, scan}), prices, 2);
  REQUIRE(costs.rows.size() == 5);
  CHECK(costs.rows[0].label == "a");
  CHECK(costs.rows[0].cost == doctest::Approx(12));
  CHECK(costs.rows[1].label == "a QueryEntities f");
  CHECK(costs.rows[2].label == "a DeleteEntity");
  CHECK(costs.rows[2].cost == 0);
  CHECK(costs.rows[3].label == "b");
  CHECK(costs.rows[3].cost == doctest::Approx(1));
  CHECK(costs.total.cost == doctest::Approx(13));
  CHECK(costs.total.transactions == 40'000);
  text.replace(text.find("\"scan\""), 6, "\"sacn\"");
  CHECK_THROWS_AS(static_cast<void>(parse_prices(text, "p.json")), FileError);
}

TEST_CASE("each operation of the service has a kind, and what is no operation has none") {
  CHECK(kind_of_operation("GetEntity") == OperationKind::Read);
  CHECK(kind_of_operation("QueryEntities") == OperationKind::Scan);
  CHECK(kind_of_operation("QueryTables") == OperationKind::List);
  CHECK(kind_of_operation("Batch") == OperationKind::BatchWrite);
  CHECK(kind_of_operation("InsertOrMergeEntity") == OperationKind::Write);
  CHECK(kind_of_operation("DeleteTable") == OperationKind::Delete);
  for (const char* const name : {"Refused", "*", "", "TablePreflightRequest"}) CHECK_FALSE(kind_of_operation(name));
}

TEST_CASE("each request is a transaction: a page, a refused request, an entity group transaction") {
  ShapeStatistics pages = read_shape("a", "table-scan", "", {3, 2500, 2500});
  pages.continuations = 2;
  ShapeStatistics batch = read_shape("a", "", "", {1});
  batch.operation = "Batch";
  batch.entities_written = 100;
  ShapeStatistics refused = read_shape("a", "", "", {2});
  refused.operation = "InsertEntity";
  refused.errors = refused.conflicts = 2;
  CHECK(transactions_of(report_of({pages, batch, refused})) == 6);
  refused.unbilled = 1;
  CHECK(transactions_of(report_of({pages, batch, refused})) == 5);
  refused.unbilled = 9;  // a report of somebody else
  CHECK(transactions_of(refused) == 0);
}

TEST_CASE("the cost is that of tables and their shapes, the most expensive first") {
  ShapeStatistics other = read_shape("b", "table-scan", "f", {20'000});
  other.account = "second";
  ShapeStatistics list = read_shape("", "", "", {1});
  list.operation = "QueryTables";
  const auto report = report_of({read_shape("a", "point", "", {30'000}), read_shape("b", "table-scan", "f", {10'000}),
                                 read_shape("b", "point", "", {10'000}), other, list});
  const CostTable cost = cost_of(report, parse_prices(kPricesText, "p.json"), 2);
  CHECK(cost.currency == "EUR");
  CHECK(cost.date == "2026-11-01");
  CHECK(cost.source == "https://example.com");
  CHECK(cost.times == 2);
  std::string labels;
  for (const CostRow& row : cost.rows) labels += row.label + "\n";
  CHECK(labels == "b\nb QueryEntities f\nb GetEntity\na\na GetEntity\n(no table)\nQueryTables\n");
  CHECK(cost.rows[0].transactions == 40'000);
  CHECK(cost.rows[0].cost == doctest::Approx(4));
  CHECK(cost.rows[1].cost == doctest::Approx(3));
  CHECK(cost.total.transactions == 70'001);
  CHECK(cost.total.cost == doctest::Approx(7.0001));
}

TEST_CASE("a gigabyte of storage is 2^30 bytes") {
  const Prices prices = parse_prices(kPricesText, "p.json");
  CHECK(storage_cost(prices, std::uint64_t{4} << 30).value() == doctest::Approx(1));
  CHECK_FALSE(storage_cost({}, 1));
  InsightReport report;
  report.tables = {{"a", 1, 1, std::uint64_t{4} << 30, true}, {"b", 5, 1, std::uint64_t{2} << 30, false}};
  const CostTable cost = storage_cost_of(report, prices);
  REQUIRE(cost.rows.size() == 2);
  CHECK(cost.rows[1].label == "storage of the first 5 entities of b for a month");
  CHECK(cost.rows[1].cost == doctest::Approx(0.5));
  CHECK(cost.total.cost == doctest::Approx(1.5));
}

}  // namespace rocktable::TEST_FILE
