// The report as GitHub-flavoured Markdown, for the summary of a job or a comment.
#pragma once

#include <string>

#include "client/report/render/report_view.h"

namespace rocktable {

// The first line is a heading with the verdict. Long lists are in <details>.
std::string render_markdown(const ReportView& view);

}  // namespace rocktable
