// What to change for each violation: the keys that would serve its query.
#pragma once

#include <vector>

#include "client/report/insight_report.h"
#include "client/report/judge/verdict.h"

namespace rocktable {

// Sets `design` of each violation for which the shapes of `report` say what to change.
void add_designs(const InsightReport& report, std::vector<Violation>& violations);

}  // namespace rocktable
