// The report as GitHub-flavoured Markdown, for the summary of a job or a comment.
#pragma once

#include <string>
#include <string_view>

#include "client/report/render/report_view.h"

namespace rocktable {

// The first line is a heading with the verdict. Long lists are in <details>.
std::string render_markdown(const ReportView& view);

// Returns prose that Markdown shows as it is, on one line. What stands between backticks becomes code.
std::string markdown_prose(std::string_view text);
// Returns the text as code, valid also in a cell of a table.
std::string markdown_code(std::string_view text);

}  // namespace rocktable
