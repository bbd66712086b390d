// A budget that allows what is: for a project that starts to use one.
#pragma once

#include <string>

#include "client/report/insight_report.h"
#include "client/report/judge/budget.h"

namespace rocktable {

// The usual default, a rule for each shape that exceeds it, and the sums of the report as totals. judge() finds nothing
// broken in the same report. Of `earlier` it keeps: the rules with `allow` that a shape matches, the reasons of rules
// for shapes that still exceed the default, and the levels of findings, except that a finding of the report that would
// be an error becomes a warning. The report must not be merged.
Budget budget_of(const InsightReport& report, const Budget* earlier);

// Writes budget_of() to a file, at once. An existing budget is `earlier`, and is replaced. Throws std::runtime_error if
// the file exists and is not a budget, and if it cannot be written.
void write_budget(const std::string& file, const InsightReport& report);

}  // namespace rocktable
