// The file for a report: its format, and how it is written.
#pragma once

#include <optional>
#include <string>

#include "client/report/render/report_format.h"

namespace rocktable {

inline constexpr const char* kReportToStandardOutput = "-";

// The format of a report for `path`: `told`, or by the ending of the name (report_format_of_file()), or text. The file
// of the variable GITHUB_STEP_SUMMARY has no ending, and is Markdown.
ReportFormat format_of_report(const std::string& path, std::optional<ReportFormat> told);

// Writes the file, which appears complete or not at all. Appends to the file of GITHUB_STEP_SUMMARY, because each step
// of a job may add to it. Throws std::runtime_error.
void write_report_file(const std::string& path, const std::string& text);

}  // namespace rocktable
