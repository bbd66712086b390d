#include "client/report/judge/judge.h"

#include <doctest/doctest.h>

#include <utility>

#include "tests/unit/client/report/report_samples.h"

namespace rocktable::TEST_FILE {
namespace {

// `error table-scan 3`
std::string line_of(const Violation& violation) {
  return std::string(violation.level == Level::Error ? "error " : "warn ") + violation.id + " " +
         std::to_string(violation.count);
}

std::vector<std::string> lines_of(const InsightReport& report, const Budget* budget) {
  std::vector<std::string> out;
  for (const Violation& violation : judge(report, budget).violations) out.push_back(line_of(violation));
  return out;
}

std::vector<std::string> lines_of(const InsightReport& report, const std::string& members = "") {
  const Budget budget = budget_from(members);
  return lines_of(report, &budget);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("without a budget the server's findings are warnings, and nothing else is judged") {
  const auto report = report_of({read_shape("a", "table-scan", "", {5, 5000, 1})},
                                {finding("table-scan", "a", 5), finding("n-plus-one", "a", 7)});
  CHECK(lines_of(report, nullptr) == Lines{"warn n-plus-one 7", "warn table-scan 5"});
  const Verdict verdict = judge(report, nullptr);
  CHECK_FALSE(verdict.has_budget);
  CHECK_FALSE(is_broken(verdict));
  CHECK(verdict.violations[0].allowed.empty());
}

TEST_CASE("the class of a shape may be the limit, and not above it") {
  const char* const plans[] = {"point", "row-range", "partition-scan", "partition-range", "table-scan"};
  const char* const ids[] = {"point", "row-range", "partition-scan", "partition-range-scan", "table-scan"};
  for (std::size_t limit = 0; limit < 5; ++limit)
    for (std::size_t plan = 0; plan < 5; ++plan) {
      CAPTURE(limit);
      CAPTURE(plan);
      const auto report = report_of({read_shape("a", plans[plan], "f", {3, 60, 60})});
      const auto lines = lines_of(report, std::string("\"default\": {\"maxClass\": \"") + plans[limit] + "\"}");
      CHECK(lines == (plan > limit ? Lines{std::string("error ") + ids[plan] + " 3"} : Lines{}));
    }
}

TEST_CASE("what logs do not count is not judged, and no sentence has a number of it") {
  ShapeStatistics shape = read_shape("orders", "table-scan", "Age gt ?", {3});
  shape.counts_entities = false;
  InsightReport report = report_of({shape});
  report.logs.emplace();
  const Budget budget = budget_from(R"("totals": {"entitiesScanned": 0, "transactions": 2})");
  const Verdict verdict = judge(report, &budget);
  REQUIRE(verdict.violations.size() == 2);
  for (const Violation& violation : verdict.violations)
    CHECK(violation.sentence == (violation.id == "table-scan" ? "3 table scans" : "3 transactions in all"));
  REQUIRE(verdict.unused_rules.size() == 1);
  CHECK(
      verdict.unused_rules[0].ends_with(": the total of scanned entities is not judged, because logs do not count "
                                        "entities"));
}

TEST_CASE("a violation says what is, what is allowed, and where that is written") {
  const auto report = report_of({read_shape("orders", "table-scan", "Age gt ?", {3, 3000, 12})});
  const Budget budget = budget_from(R"("rules": [{"table": "orders", "maxClass": "row-range"}])");
  const Verdict verdict = judge(report, &budget);
  CHECK(verdict.has_budget);
  CHECK(is_broken(verdict));
  REQUIRE(verdict.violations.size() == 2);
  const Violation& scan = verdict.violations[0];
  CHECK(scan.id == "table-scan");
  CHECK(scan.table == "orders");
  CHECK(scan.operation == "QueryEntities");
  CHECK(scan.fingerprint == "Age gt ?");
  CHECK(scan.plan == "table-scan");
  CHECK(scan.client == "azsdk-js-data-tables/13.1.1");
  CHECK(scan.example == "GET /devstoreaccount1/orders");
  CHECK(scan.sentence == "3 table scans read 3,000 entities to return 12");
  CHECK(scan.allowed == "at most row-range (b.json:2:43)");
  CHECK(verdict.violations[1].id == "scanned-per-returned");
  CHECK(verdict.violations[1].sentence == "3 table scans read 3,000 entities to return 12: 250 for each one");
  CHECK(verdict.violations[1].allowed == "at most 20 for each one returned (the default)");
}

TEST_CASE("the ratio is judged from 100 scanned entities on, and may be the limit") {
  const auto lines = [](ReadCounts counts) {
    return lines_of(report_of({read_shape("a", "partition-scan", "", counts)}));
  };
  CHECK(lines({1, 100, 5}).empty());
  CHECK(lines({1, 100, 4}) == Lines{"error scanned-per-returned 1"});
  CHECK(lines({1, 2000, 100}).empty());
  CHECK(lines({1, 2001, 100}) == Lines{"error scanned-per-returned 1"});
  CHECK(lines({1, 99, 0}).empty());
  CHECK(lines({1, 100, 0}) == Lines{"error scanned-per-returned 1"});
  CHECK(lines({1, 20, 0}).empty());
}

TEST_CASE("shapes of several accounts, clients and $select are judged together, unless rules tell them apart") {
  ShapeStatistics one = read_shape("a", "partition-scan", "f", {1, 90, 1});
  ShapeStatistics other = read_shape("a", "partition-scan", "f", {2, 60, 1});
  one.account = "first";
  other.client = "python";
  other.select = "Age";
  const auto report = report_of({one, other});
  const Budget budget = budget_from("");
  const Verdict together = judge(report, &budget);
  REQUIRE(together.violations.size() == 1);
  CHECK(line_of(together.violations[0]) == "error scanned-per-returned 3");
  CHECK(together.violations[0].client.empty());
  CHECK(lines_of(report, R"("rules": [{"client": "python", "maxClass": "table-scan"}])").empty());
  CHECK(lines_of(report, R"("rules": [{"client": "python", "maxScannedPerReturned": 1}])").empty());
  CHECK(lines_of(report, R"("rules": [{"client": "python", "maxClass": "point"}])") == Lines{"error partition-scan 2"});
}

TEST_CASE("limit by limit, the most specific rule decides, and of equally specific ones the later") {
  const auto report = report_of({read_shape("a", "table-scan", "f", {1, 1000, 10})});
  const std::string by_fingerprint = R"({"fingerprint": "f", "maxClass": "table-scan"})";
  const std::string by_operation = R"({"operation": "QueryEntities", "maxClass": "point"})";
  const std::string by_table = R"({"table": "A", "maxScannedPerReturned": 100})";
  const auto rules = [](const std::string& text) { return "\"rules\": [" + text + "]"; };
  CHECK(lines_of(report, rules(by_fingerprint + "," + by_operation + "," + by_table)).empty());
  CHECK(lines_of(report, rules(by_table + "," + by_operation)) == Lines{"error table-scan 1"});
  CHECK(lines_of(report, rules(by_table + R"(,{"table": "a", "maxClass": "table-scan"})")).empty());
  CHECK(lines_of(report, rules(by_fingerprint + R"(,{"table": "a", "maxScannedPerReturned": 99.5})")) ==
        Lines{"error scanned-per-returned 1"});
  CHECK(lines_of(report, rules(by_table + "," + by_fingerprint + R"(,{"fingerprint": "f", "maxClass": "point"})")) ==
        Lines{"error table-scan 1"});
}

TEST_CASE("allow permits class, ratio and pages that are not followed, unless a more specific rule limits them") {
  Finding abandoned = finding("abandoned-paging", "a");
  abandoned.fingerprint = "f";
  const auto report =
      report_of({read_shape("a", "table-scan", "f", {1, 1000, 1})}, {abandoned, finding("abandoned-paging", "b")});
  const std::string allow = R"({"table": "a", "allow": true, "reason": "an export"})";
  CHECK(lines_of(report, "\"rules\": [" + allow + "]") == Lines{"error abandoned-paging 1"});
  CHECK(lines_of(report, "\"rules\": [" + allow + R"(, {"fingerprint": "f", "maxClass": "point"}])") ==
        Lines{"error table-scan 1", "error abandoned-paging 1"});
}

TEST_CASE("other findings have the level of the budget, or of the catalog") {
  const auto report = report_of(
      {}, {finding("n-plus-one", "a", 3), finding("abandoned-paging", "a", 2), finding("near-limits", "a", 9),
           finding("table-scan", "a"), finding("partition-range-scan", "a"), finding("scanned-per-returned", "a")});
  CHECK(lines_of(report) == Lines{"error abandoned-paging 2", "warn near-limits 9", "warn n-plus-one 3"});
  CHECK(lines_of(report, R"("findings": {"n-plus-one": "error", "near-limits": "off", "abandoned-paging": "warn"})") ==
        Lines{"error n-plus-one 3", "warn abandoned-paging 2"});
}

TEST_CASE("the findings of a budget also set the level of broken limits") {
  const auto report = report_of({read_shape("a", "table-scan", "f", {1, 1000, 1})});
  CHECK(lines_of(report, R"("findings": {"table-scan": "warn", "scanned-per-returned": "off"})") ==
        Lines{"warn table-scan 1"});
}

TEST_CASE("totals are ceilings of all shapes") {
  ShapeStatistics write = read_shape("a", "", "", {4});
  write.operation = "Batch";
  const auto report = report_of({read_shape("a", "partition-scan", "", {6, 50, 50}), write});
  CHECK(lines_of(report, R"("totals": {"transactions": 10, "entitiesScanned": 50})").empty());
  const Budget budget = budget_from(R"("totals": {"transactions": 9, "entitiesScanned": 49})");
  const Verdict verdict = judge(report, &budget);
  REQUIRE(verdict.violations.size() == 2);
  CHECK(line_of(verdict.violations[0]) == "error total-entities-scanned 50");
  CHECK(verdict.violations[0].sentence == "50 entities scanned in all");
  CHECK(verdict.violations[0].allowed == "at most 49 (b.json:2:50)");
  CHECK(line_of(verdict.violations[1]) == "error total-transactions 10");
  CHECK(verdict.violations[1].sentence == "10 transactions in all");
}

TEST_CASE("a rule that no request matches is told with its place") {
  const auto report = report_of({read_shape("log#", "point", "")});
  const Budget budget = budget_from(
      R"("rules": [{"table": "Log2026", "maxClass": "point"},
 {"table": "log", "operation": "QueryEntities", "maxClass": "point"}])");
  const Verdict verdict = judge(report, &budget);
  CHECK_FALSE(is_broken(verdict));
  CHECK(verdict.unused_rules ==
        Lines{"b.json:3:2: no request matches this rule: table `log`, operation `QueryEntities`"});
}

}  // namespace rocktable::TEST_FILE
