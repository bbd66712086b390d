// A fixed report with shapes of all kinds, one with hostile text, and a verdict about it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/input_file.h"
#include "client/report/insight_report.h"
#include "client/report/judge/verdict.h"
#include "client/report/judge/violation_designs.h"

namespace rocktable {

inline std::string report_file(const std::string& name) { return std::string(REPORT_FILES) + "/" + name; }

inline InsightReport fixed_report() {
  return parse_insight_report(nlohmann::json::parse(read_file(report_file("report.json"))));
}

inline Violation violation_of(Level level, std::string id, const ShapeStatistics& shape, std::string sentence,
                              std::string allowed) {
  return {level, std::move(id), shape.table,    shape.operation,     shape.fingerprint,  shape.plan,  "",
          "",    shape.example, shape.requests, std::move(sentence), std::move(allowed), std::nullopt};
}

// Four errors, one of no shape, and the three findings of the report as warnings; with costs.
inline Verdict fixed_verdict() {
  const InsightReport report = fixed_report();
  Verdict out;
  out.has_budget = true;
  out.violations = {
      violation_of(Level::Error, "table-scan", report.shapes.at(0), "a table scan read 3,000 entities to return 12",
                   "at most partition-scan (rocktable.budget.json:3:17)"),
      violation_of(Level::Error, "table-scan", report.shapes.at(9), "a table scan read 90 entities to return 0",
                   "at most partition-scan (rocktable.budget.json:3:17)"),
      violation_of(Level::Error, "scanned-per-returned", report.shapes.at(2),
                   "2,048 entities were scanned for each one returned", "at most 20 (rocktable.budget.json:3:48)")};
  Violation& total = out.violations.emplace_back();
  total.level = Level::Error;
  total.id = "total-entities-scanned";
  total.count = 94'058;
  total.sentence = "94,058 entities were scanned";
  total.allowed = "at most 90,000 (rocktable.budget.json:8:60)";
  for (const Finding& finding : report.findings)
    out.violations.push_back({Level::Warn, finding.id, finding.table, finding.operation, finding.fingerprint, "",
                              finding.client, finding.test, finding.example, finding.count, finding.sentence, "",
                              std::nullopt});
  add_designs(report, out.violations);
  out.unused_rules = {"rocktable.budget.json:5:14: no shape used this rule"};
  out.cost = CostTable{"USD",
                       "2026-11-01",
                       "https://example.net/prices",
                       30,
                       {{"orders", 282, 0.00030456}, {"log#", 4, 0.00000432}},
                       {"total", 819, 0.00088452}};
  return out;
}

}  // namespace rocktable
