// What `rocktable exec` does with the requests of its command: judges them by a budget, and writes a report.
#pragma once

#include <optional>
#include <string>

#include "base/platform/file.h"
#include "client/report/judge/budget.h"
#include "client/report/prices.h"
#include "client/report/render/render_report.h"

namespace rocktable {

// As on the command line; empty: not given.
struct ExecReportFlags {
  std::string budget, report, report_format, prices;
};

class ExecReport {
 public:
  // Reads budget and prices, before the command starts. Throws std::runtime_error with a sentence, which has line and
  // column if it is about the contents of a file: all these are mistakes on the command line.
  explicit ExecReport(const ExecReportFlags& flags);

  // Judges `queries`, the document of `GET /_rocktable/queries`, and writes the report. Prints what breaks the budget
  // on standard error. Returns kExitSuccess, kExitBudget or, after printing why, kExitReport.
  int finish(const std::string& queries) const;

 private:
  void write(const std::string& text) const;

  std::optional<Budget> budget_;
  std::optional<Prices> prices_;
  std::string file_;  // empty: none
  ReportFormat format_ = ReportFormat::Text;
  File output_;  // standard output of `rocktable exec`, for a report to it
};

}  // namespace rocktable
