// The report and its verdict for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "client/report/insight_report.h"
#include "client/report/judge/verdict.h"

namespace rocktable {

// The document of `GET /_rocktable/queries` with a member `verdict`. Shapes are not added up. parse_insight_report()
// reads it.
nlohmann::json json_of_report(const InsightReport& report, const Verdict& verdict);

}  // namespace rocktable
