// Renders a report and its verdict for people and for programs.
#pragma once

#include <string>

#include "client/report/insight_report.h"
#include "client/report/judge/verdict.h"
#include "client/report/render/report_format.h"

namespace rocktable {

// Renders the shapes of `report`, added up with merged() (except in JSON), and the violations of `verdict`. Ends with a
// newline.
std::string render_report(const InsightReport& report, const Verdict& verdict, ReportFormat format,
                          const RenderOptions& options);

}  // namespace rocktable
