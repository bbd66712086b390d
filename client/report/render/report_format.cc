#include "client/report/render/report_format.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rocktable {
namespace {

// In the order of ReportFormat.
constexpr std::array<std::string_view, 5> kReportFormats = {"text", "markdown", "html", "json", "junit"};

constexpr std::pair<std::string_view, ReportFormat> kReportEndings[] = {{".txt", ReportFormat::Text},
                                                                        {".md", ReportFormat::Markdown},
                                                                        {".html", ReportFormat::Html},
                                                                        {".json", ReportFormat::Json},
                                                                        {".xml", ReportFormat::Junit}};

}  // namespace

std::span<const std::string_view> report_format_names() { return kReportFormats; }

std::optional<ReportFormat> parse_report_format(std::string_view name) {
  const auto* const found = std::find(kReportFormats.begin(), kReportFormats.end(), name);
  if (found == kReportFormats.end()) return std::nullopt;
  return static_cast<ReportFormat>(found - kReportFormats.begin());
}

std::optional<ReportFormat> report_format_of_file(std::string_view path) {
  for (const auto& [ending, format] : kReportEndings)
    if (path.ends_with(ending)) return format;
  return std::nullopt;
}

}  // namespace rocktable
