// The report for a terminal.
#pragma once

#include <string>

#include "client/report/render/report_format.h"
#include "client/report/render/report_view.h"

namespace rocktable {

// A table of shapes, or a few lines for each where the terminal is narrow; then violations and costs. Lines have at
// most `options.columns` characters, except for examples and links.
std::string render_text(const ReportView& view, const RenderOptions& options);

// Only the violations and their advice; empty if there are none.
std::string render_violations_as_text(const ReportView& view, const RenderOptions& options);

}  // namespace rocktable
