#include "client/report/judge/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "client/report/judge/judged_shapes.h"
#include "client/report/judge/violation_designs.h"
#include "client/report/transactions.h"
#include "odata/insight/finding_catalog.h"

namespace rocktable {
namespace {

constexpr std::string_view kRatioId = "scanned-per-returned";
constexpr std::string_view kAbandonedId = "abandoned-paging";

// The findings of the server that limits of a budget take the place of.
constexpr std::array<std::string_view, 3> kIdsOfLimits = {"table-scan", "partition-range-scan", kRatioId};

bool is_id_of_limit(std::string_view id) {
  return std::find(kIdsOfLimits.begin(), kIdsOfLimits.end(), id) != kIdsOfLimits.end();
}

std::string_view violation_id_of(PlanClass plan) {
  return plan == PlanClass::PartitionRange ? "partition-range-scan" : to_string(plan);
}

// What breaks a limit is an error, also where no finding has its id.
Level level_of_violation(const Budget& budget, std::string_view id) {
  const auto found = budget.findings.find(id);
  return found == budget.findings.end() ? Level::Error : found->second;
}

Level level_of_finding(const Budget& budget, std::string_view id) {
  if (const auto found = budget.findings.find(id); found != budget.findings.end()) return found->second;
  const FindingKind* const kind = find_finding_kind(id);
  return kind != nullptr && kind->is_error_by_default ? Level::Error : Level::Warn;
}

std::string counted_work(PlanClass plan, std::uint64_t requests) {
  switch (plan) {
    case PlanClass::Point:
      return counted(requests, "point read", "point reads");
    case PlanClass::RowRange:
      return counted(requests, "read of a range of rows", "reads of a range of rows");
    case PlanClass::PartitionScan:
      return counted(requests, "partition scan", "partition scans");
    case PlanClass::PartitionRange:
      return counted(requests, "scan of a range of partitions", "scans of a range of partitions");
    case PlanClass::TableScan:
      return counted(requests, "table scan", "table scans");
  }
  return {};
}

// Rounded up, so that it is never below a limit that it breaks.
std::string ratio_text(double ratio) { return with_commas(static_cast<std::uint64_t>(std::ceil(ratio))); }

std::string limit_text(double limit) {
  return limit == std::floor(limit) ? with_commas(static_cast<std::uint64_t>(limit)) : shortest(limit);
}

std::string read_and_returned(const JudgedShape& shape) {
  if (!shape.counts_entities) return {};
  return " read " + counted(shape.scanned, "entity", "entities") + " to return " + with_commas(shape.returned);
}

class Judge {
 public:
  explicit Judge(const InsightReport& report, const Budget* budget) : report_(report), budget_(budget) {}

  Verdict judge() {
    out_.has_budget = budget_ != nullptr;
    if (budget_ != nullptr) {
      judge_shapes();
      judge_totals();
    }
    judge_findings();
    std::stable_sort(out_.violations.begin(), out_.violations.end(), [](const Violation& a, const Violation& b) {
      return std::pair(a.level, a.count) > std::pair(b.level, b.count);
    });
    add_designs(report_, out_.violations);
    return std::move(out_);
  }

 private:
  void judge_shapes() {
    const JudgedShapes judged = judged_shapes(report_, *budget_);
    for (const JudgedShape& shape : judged.shapes) {
      if (shape.breaks_class())
        add(shape, violation_id_of(shape.plan), counted_work(shape.plan, shape.requests) + read_and_returned(shape),
            "at most " + std::string(to_string(shape.max_class->value)), shape.max_class->place);
      if (shape.breaks_ratio())
        add(shape, kRatioId,
            counted_work(shape.plan, shape.requests) + read_and_returned(shape) + ": " + ratio_text(shape.ratio()) +
                " for each one",
            "at most " + limit_text(shape.max_scanned_per_returned->value) + " for each one returned",
            shape.max_scanned_per_returned->place);
    }
    for (std::size_t i = 0; i < judged.used.size(); ++i)
      if (!judged.used[i])
        out_.unused_rules.push_back(place_text(*budget_, budget_->rules[i].place) +
                                    ": no request matches this rule: " + describe(budget_->rules[i]));
  }

  void add(const JudgedShape& shape, std::string_view id, std::string sentence, const std::string& allowed,
           const FilePlace& place) {
    const Level level = level_of_violation(*budget_, id);
    if (level == Level::Off) return;
    out_.violations.push_back({level, std::string(id), shape.table, shape.operation, shape.fingerprint,
                               std::string(to_string(shape.plan)), shape.client, shape.test, shape.example,
                               shape.requests, std::move(sentence), allowed + " (" + place_text(*budget_, place) + ")",
                               std::nullopt});
  }

  void judge_totals() {
    compare("total-transactions", transactions_of(report_), budget_->totals.transactions, "transaction", "transactions",
            "");
    if (report_.logs && budget_->totals.entities_scanned) {
      out_.unused_rules.push_back(place_text(*budget_, budget_->totals.entities_scanned->place) +
                                  ": the total of scanned entities is not judged, because logs do not count entities");
      return;
    }
    compare("total-entities-scanned", entities_scanned_by(report_), budget_->totals.entities_scanned, "entity",
            "entities", " scanned");
  }

  void compare(std::string_view id, std::uint64_t is, const std::optional<Placed<std::uint64_t>>& limit,
               std::string_view one, std::string_view many, std::string_view what) {
    if (!limit || is <= limit->value) return;
    Violation violation;
    violation.level = Level::Error;
    violation.id = id;
    violation.count = is;
    violation.sentence = counted(is, one, many).append(what).append(" in all");
    violation.allowed = "at most " + with_commas(limit->value) + " (" + place_text(*budget_, limit->place) + ")";
    out_.violations.push_back(std::move(violation));
  }

  bool is_allowed(const Finding& finding) const {
    if (finding.id != kAbandonedId) return false;
    const RuleSubject subject{finding.table, finding.operation, finding.fingerprint, finding.client, finding.test};
    return std::any_of(budget_->rules.begin(), budget_->rules.end(),
                       [&](const BudgetRule& rule) { return rule.allow && rule.matches(subject); });
  }

  void judge_findings() {
    InsightReport kept;
    for (const Finding& finding : report_.findings)
      if (budget_ == nullptr || (!is_id_of_limit(finding.id) && !is_allowed(finding))) kept.findings.push_back(finding);
    for (Finding& finding : merged(std::move(kept)).findings) {
      const Level level = budget_ == nullptr ? Level::Warn : level_of_finding(*budget_, finding.id);
      if (level == Level::Off) continue;
      std::string allowed;
      if (level == Level::Error) allowed = "none (" + budget_->file + ")";
      out_.violations.push_back({level, std::move(finding.id), std::move(finding.table), std::move(finding.operation),
                                 std::move(finding.fingerprint), "", std::move(finding.client), std::move(finding.test),
                                 std::move(finding.example), finding.count, std::move(finding.sentence),
                                 std::move(allowed), std::nullopt});
    }
  }

  // `table orders, fingerprint PartitionKey eq ?`
  static std::string describe(const BudgetRule& rule) {
    std::vector<std::string> parts;
    const auto add_part = [&](const char* name, const std::optional<std::string>& text) {
      if (text) parts.push_back(std::string(name) + " `" + *text + "`");
    };
    add_part("table", rule.table);
    add_part("operation", rule.operation);
    add_part("fingerprint", rule.fingerprint);
    add_part("client", rule.client);
    add_part("test", rule.test);
    return joined(parts);
  }

  const InsightReport& report_;
  const Budget* budget_;
  Verdict out_;
};

}  // namespace

Verdict judge(const InsightReport& report, const Budget* budget) { return Judge(report, budget).judge(); }

bool is_broken(const Verdict& verdict) {
  return std::any_of(verdict.violations.begin(), verdict.violations.end(),
                     [](const Violation& one) { return one.level == Level::Error; });
}

std::string place_text(const Budget& budget, const FilePlace& place) {
  if (place.line == 0) return "the default";
  return budget.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace rocktable
