// The gate: whether a report is within a budget.
#pragma once

#include "client/report/insight_report.h"
#include "client/report/judge/budget.h"
#include "client/report/judge/verdict.h"

namespace rocktable {

// Judges counts, never times, so that the same requests always have the same verdict. The report must be as the server
// returned it, not merged.
//
// Without a budget, each finding of the report is a warning. With one:
//   - Each shape has to keep the limits of the most specific rules, or the default (judged_shapes.h). What breaks
//     them has the id table-scan, partition-range-scan, the name of another class, or scanned-per-returned. Findings of
//     the server with these ids are left out, because the budget decides.
//   - Other findings have the level of the budget's `findings`, or of the catalog (odata/insight/finding_catalog.h).
//     Shapes with `allow` have no abandoned-paging.
//   - Sums are compared with `totals`: the ids total-transactions and total-entities-scanned.
Verdict judge(const InsightReport& report, const Budget* budget);

bool is_broken(const Verdict& verdict);

// The same as `rocktable.budget.json:3:17`; `the default` if the value is not from a file.
std::string place_text(const Budget& budget, const FilePlace& place);

}  // namespace rocktable
