// Reports and budgets for the tests of the gate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text.h"
#include "client/report/insight_report.h"
#include "client/report/judge/budget.h"

namespace rocktable {

struct ReadCounts {
  std::uint64_t requests = 1, scanned = 0, returned = 0;
};

inline ShapeStatistics read_shape(std::string table, std::string plan, std::string fingerprint,
                                  ReadCounts counts = {}) {
  ShapeStatistics out;
  out.account = "devstoreaccount1";
  out.table = std::move(table);
  out.operation = plan == "point" ? "GetEntity" : "QueryEntities";
  out.plan = std::move(plan);
  out.fingerprint = std::move(fingerprint);
  out.client = "azsdk-js-data-tables/13.1.1";
  out.requests = counts.requests;
  out.entities_scanned = counts.scanned;
  out.entities_returned = counts.returned;
  out.example = "GET /devstoreaccount1/" + out.table;
  return out;
}

inline Finding finding(std::string id, std::string table, std::uint64_t count = 1) {
  Finding out;
  out.id = std::move(id);
  out.account = "devstoreaccount1";
  out.table = std::move(table);
  out.operation = "QueryEntities";
  out.count = count;
  out.sentence = "What is.";
  return out;
}

inline InsightReport report_of(std::vector<ShapeStatistics> shapes, std::vector<Finding> findings = {}) {
  InsightReport out;
  out.shapes = std::move(shapes);
  out.findings = std::move(findings);
  return out;
}

inline Budget budget_from(const std::string& members) {
  return parse_budget("{\"version\": 1" + (members.empty() ? "" : ",\n" + members) + "}", "b.json");
}

}  // namespace rocktable
