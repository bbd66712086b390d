#include "client/report/judge/write_budget.h"

#include <doctest/doctest.h>

#include <fstream>

#include "base/input_file.h"
#include "client/report/judge/judge.h"
#include "tests/unit/client/report/report_samples.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

InsightReport varied_report() {
  ShapeStatistics python = read_shape("a", "table-scan", "f", {1, 100, 0});
  python.client = "python";
  return report_of(
      {read_shape("a", "table-scan", "f", {2, 1000, 30}), python, read_shape("a", "partition-range", "f", {1, 10, 10}),
       read_shape("b", "partition-scan", "g", {1, 2050, 100}), read_shape("c", "partition-scan", "", {1, 2000, 100}),
       read_shape("c", "point", "", {9, 9, 9})},
      {finding("abandoned-paging", "a"), finding("n-plus-one", "c")});
}

}  // namespace

TEST_CASE("a budget that is written from logs has no total of entities, which would refuse every server") {
  InsightReport report = varied_report();
  report.logs.emplace();
  CHECK_FALSE(budget_of(report, nullptr).totals.entities_scanned);
  CHECK(budget_of(report, nullptr).totals.transactions);
}

TEST_CASE("a written budget has a rule for each shape that exceeds the default, and the sums as totals") {
  const InsightReport report = varied_report();
  const Budget budget = budget_of(report, nullptr);
  REQUIRE(budget.rules.size() == 2);
  CHECK(budget.rules[0].table == "a");
  CHECK(budget.rules[0].operation == "QueryEntities");
  CHECK(budget.rules[0].fingerprint == "f");
  CHECK_FALSE(budget.rules[0].client);
  CHECK(budget.rules[0].limits.max_class->value == PlanClass::TableScan);
  CHECK(budget.rules[0].limits.max_scanned_per_returned->value == 37);  // 1,100 for 30
  CHECK(budget.rules[1].table == "b");
  CHECK_FALSE(budget.rules[1].limits.max_class);
  CHECK(budget.rules[1].limits.max_scanned_per_returned->value == 21);
  CHECK(budget.totals.transactions->value == 15);
  CHECK(budget.totals.entities_scanned->value == 5169);
  CHECK(budget.findings == decltype(budget.findings){{"abandoned-paging", Level::Warn}});
}

TEST_CASE("the report that a budget was written from is within it, and nothing less is allowed") {
  const InsightReport report = varied_report();
  const Budget budget = parse_budget(to_json_text(budget_of(report, nullptr)), "b.json");
  const Verdict verdict = judge(report, &budget);
  CHECK_FALSE(is_broken(verdict));
  CHECK(verdict.unused_rules.empty());
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    InsightReport more = report;
    more.shapes[i].requests += 1;
    more.shapes[i].entities_scanned += 1000;
    CHECK(is_broken(judge(more, &budget)));
  }
}

TEST_CASE("a written budget keeps what people wrote, as far as it still applies") {
  const Budget earlier = budget_from(
      R"("default": {"maxClass": "table-scan"},
      "rules": [{"table": "b", "allow": true, "reason": "an export"},
                {"table": "gone", "allow": true, "reason": "an import"},
                {"fingerprint": "f", "maxClass": "table-scan", "reason": "ticket 5"}],
      "findings": {"n-plus-one": "error", "near-limits": "error"})");
  const InsightReport report = varied_report();
  const Budget budget = budget_of(report, &earlier);
  CHECK_FALSE(is_broken(judge(report, &budget)));
  CHECK(budget.defaults.max_class->value == PlanClass::PartitionScan);
  REQUIRE(budget.rules.size() == 2);
  CHECK(budget.rules[0].allow);
  CHECK(budget.rules[0].reason == "an export");
  CHECK(budget.rules[1].fingerprint == "f");
  CHECK(budget.rules[1].reason == "ticket 5");
  CHECK(budget.findings == decltype(budget.findings){{"abandoned-paging", Level::Warn},
                                                     {"n-plus-one", Level::Warn},
                                                     {"near-limits", Level::Error}});
}

TEST_CASE("a budget is replaced, another file is not") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "b.json";
  write_budget(file, varied_report());
  const std::string first = read_file(file);
  write_budget(file, varied_report());
  CHECK(read_file(file) == first);
  std::ofstream(file) << "{\"version\": 1, \"notes\": []}";
  CHECK_THROWS_WITH(write_budget(file, varied_report()),
                    doctest::Contains("exists and is not a budget, so it is not replaced"));
  CHECK(read_file(file) == "{\"version\": 1, \"notes\": []}");
  CHECK_THROWS(write_budget(folder.path() / "absent" / "b.json", varied_report()));
}

}  // namespace rocktable::TEST_FILE
