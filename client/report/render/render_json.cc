#include "client/report/render/render_json.h"

#include <nlohmann/json.hpp>

#include "client/report/render/report_view.h"
#include "odata/insight/finding_catalog.h"

namespace rocktable {
namespace {

nlohmann::json json_of_violation(const Violation& violation) {
  nlohmann::json out = {{"level", to_string(violation.level)},
                        {"id", violation.id},
                        {"table", violation.table},
                        {"operation", violation.operation},
                        {"fingerprint", violation.fingerprint},
                        {"plan", violation.plan},
                        {"client", violation.client},
                        {"test", violation.test},
                        {"count", violation.count},
                        {"sentence", violation.sentence},
                        {"allowed", violation.allowed},
                        {"example", violation.example},
                        {"advice", nullptr},
                        {"design", to_json(violation.design)}};
  if (const FindingKind* const kind = find_finding_kind(violation.id)) out["advice"] = kind->advice;
  return out;
}

nlohmann::json json_of_cost_row(const CostRow& row) {
  return {{"label", row.label}, {"transactions", row.transactions}, {"cost", row.cost}};
}

nlohmann::json json_of_costs(const std::optional<CostTable>& cost) {
  if (!cost) return nullptr;
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : cost->rows) rows.push_back(json_of_cost_row(row));
  return {{"currency", cost->currency}, {"date", cost->date},      {"source", cost->source},
          {"times", cost->times},       {"rows", std::move(rows)}, {"total", json_of_cost_row(cost->total)}};
}

}  // namespace

nlohmann::json json_of_report(const InsightReport& report, const Verdict& verdict) {
  nlohmann::json out = to_json(report), violations = nlohmann::json::array();
  for (const auto& violation : verdict.violations) violations.push_back(json_of_violation(violation));
  out["verdict"] = {{"hasBudget", verdict.has_budget},
                    {"headline", headline_of(verdict)},
                    {"violations", std::move(violations)},
                    {"unusedRules", verdict.unused_rules},
                    {"cost", json_of_costs(verdict.cost)}};
  return out;
}

}  // namespace rocktable
