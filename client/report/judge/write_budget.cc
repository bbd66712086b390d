#include "client/report/judge/write_budget.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "base/atomic_file.h"
#include "client/report/judge/judge.h"
#include "client/report/judge/judged_shapes.h"
#include "client/report/transactions.h"
#include "odata/insight/finding_catalog.h"

namespace rocktable {
namespace {

// The last reason that a rule of the earlier budget has for a rule's requests; empty: none.
std::string earlier_reason(const Budget& earlier, const BudgetRule& rule) {
  const RuleSubject subject{*rule.table, *rule.operation, *rule.fingerprint, {}, {}};
  const BudgetRule* best = nullptr;
  for (const BudgetRule& one : earlier.rules)
    if (!one.reason.empty() && one.matches(subject) && (best == nullptr || one.specificity() >= best->specificity()))
      best = &one;
  return best == nullptr ? "" : best->reason;
}

// Raises what a limit allows to `value`.
template <class Limit, class Value>
void raise_limit(Limit& limit, Value value) {
  if (!limit || limit->value < value) limit = {value};
}

void add_rules(Budget& budget, const JudgedShapes& judged) {
  const auto kept = static_cast<std::ptrdiff_t>(budget.rules.size());
  for (const JudgedShape& shape : judged.shapes) {
    if (!shape.breaks_class() && !shape.breaks_ratio()) continue;
    BudgetRule rule;
    rule.table = shape.table;
    rule.operation = shape.operation;
    rule.fingerprint = shape.fingerprint;
    auto same = std::find_if(budget.rules.begin() + kept, budget.rules.end(),
                             [&](const BudgetRule& one) { return one.selects_the_same(rule); });
    if (same == budget.rules.end()) same = budget.rules.insert(same, rule);
    BudgetLimits& limits = same->limits;
    if (shape.breaks_class()) raise_limit(limits.max_class, shape.plan);
    if (shape.breaks_ratio()) raise_limit(limits.max_scanned_per_returned, std::ceil(shape.ratio()));
  }
}

std::optional<Budget> earlier_budget(const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return std::nullopt;
  try {
    return read_budget(file);
  } catch (const std::exception& error) {
    throw std::runtime_error(file + " exists and is not a budget, so it is not replaced: " + error.what());
  }
}

}  // namespace

Budget budget_of(const InsightReport& report, const Budget* earlier) {
  Budget out;
  if (earlier != nullptr) {
    out.findings = earlier->findings;
    const std::vector<bool> used = judged_shapes(report, *earlier).used;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i] && earlier->rules[i].allow) out.rules.push_back(earlier->rules[i]);
  }
  const std::size_t kept = out.rules.size();
  add_rules(out, judged_shapes(report, out));
  if (earlier != nullptr)
    for (std::size_t i = kept; i < out.rules.size(); ++i) out.rules[i].reason = earlier_reason(*earlier, out.rules[i]);
  out.totals.transactions = {transactions_of(report)};
  if (!report.logs) out.totals.entities_scanned = {entities_scanned_by(report)};
  for (const Violation& violation : judge(report, &out).violations)
    if (violation.level == Level::Error && find_finding_kind(violation.id) != nullptr)
      out.findings[violation.id] = Level::Warn;
  return out;
}

void write_budget(const std::string& file, const InsightReport& report) {
  const auto earlier = earlier_budget(file);
  AtomicFile replacement(file, FileRights::ReadableByAll);
  replacement.write(to_json_text(budget_of(report, earlier ? &*earlier : nullptr)));
  if (!replacement.replace()) throw std::runtime_error(file + " cannot be written: " + std::strerror(errno));
}

}  // namespace rocktable
