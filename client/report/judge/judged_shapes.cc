#include "client/report/judge/judged_shapes.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace rocktable {
namespace {

// Indices of the rules that match, in the order of the file.
using MatchingRules = std::vector<std::size_t>;

std::optional<PlanClass> plan_named(std::string_view name) {
  for (const PlanClass one : {PlanClass::Point, PlanClass::RowRange, PlanClass::PartitionScan,
                              PlanClass::PartitionRange, PlanClass::TableScan})
    if (to_string(one) == name) return one;
  return std::nullopt;
}

MatchingRules rules_that_match(const Budget& budget, const ShapeStatistics& shape) {
  MatchingRules out;
  const RuleSubject subject{shape.table, shape.operation, shape.fingerprint, shape.client, shape.test};
  for (std::size_t i = 0; i < budget.rules.size(); ++i)
    if (budget.rules[i].matches(subject)) out.push_back(i);
  return out;
}

// The limit of the most specific rule that has one; the default if no rule has; nullopt if that rule allows everything.
template <class Limit>
Limit limit_of(const Budget& budget, const MatchingRules& matching, Limit BudgetLimits::* limit) {
  const BudgetRule* best = nullptr;
  for (const std::size_t i : matching) {
    const BudgetRule& rule = budget.rules[i];
    if (!rule.allow && !(rule.limits.*limit)) continue;
    if (best == nullptr || rule.specificity() >= best->specificity()) best = &rule;
  }
  if (best == nullptr) return budget.defaults.*limit;
  return best->allow ? std::nullopt : best->limits.*limit;
}

}  // namespace

bool JudgedShape::is_large() const {
  return !min_scanned || !counts_entities ||
         scanned_by_query(scanned, most_scanned, requests, continuations) >= min_scanned->value;
}

double JudgedShape::ratio() const {
  if (scanned < kMinScanned || !is_large()) return 0;
  return static_cast<double>(scanned) / static_cast<double>(std::max<std::uint64_t>(returned, 1));
}

JudgedShapes judged_shapes(const InsightReport& report, const Budget& budget) {
  JudgedShapes out;
  out.used.resize(budget.rules.size());
  using Key = std::tuple<std::string, std::string, std::string, PlanClass, MatchingRules>;
  std::map<Key, std::size_t> places;
  for (const ShapeStatistics& shape : report.shapes) {
    const MatchingRules matching = rules_that_match(budget, shape);
    for (const std::size_t i : matching) out.used[i] = true;
    const auto plan = plan_named(shape.plan);
    if (!plan) continue;
    const auto [place, is_new] =
        places.try_emplace({shape.table, shape.operation, shape.fingerprint, *plan, matching}, out.shapes.size());
    if (is_new) {
      out.shapes.push_back(
          {.table = shape.table,
           .operation = shape.operation,
           .fingerprint = shape.fingerprint,
           .plan = *plan,
           .client = shape.client,
           .test = shape.test,
           .example = shape.example,
           .max_class = limit_of(budget, matching, &BudgetLimits::max_class),
           .max_scanned_per_returned = limit_of(budget, matching, &BudgetLimits::max_scanned_per_returned),
           .min_scanned = limit_of(budget, matching, &BudgetLimits::min_scanned)});
    }
    JudgedShape& judged = out.shapes[place->second];
    if (judged.client != shape.client) judged.client.clear();
    if (judged.test != shape.test) judged.test.clear();
    judged.counts_entities = judged.counts_entities && shape.counts_entities;
    judged.requests += shape.requests;
    judged.continuations += shape.continuations;
    judged.scanned += shape.entities_scanned;
    judged.most_scanned = std::max(judged.most_scanned, shape.most_scanned_per_request);
    judged.returned += shape.entities_returned;
  }
  return out;
}

std::uint64_t entities_scanned_by(const InsightReport& report) {
  std::uint64_t out = 0;
  for (const ShapeStatistics& shape : report.shapes) out += shape.entities_scanned;
  return out;
}

}  // namespace rocktable
