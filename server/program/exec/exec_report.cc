#include "server/program/exec/exec_report.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "client/command_line/command_line.h"
#include "client/report/judge/judge.h"
#include "client/report/render/render_text.h"
#include "client/report/render/report_file.h"
#include "client/report/render/report_view.h"
#include "client/terminal/terminal.h"
#include "server/program/start/startup_report.h"

namespace rocktable {
namespace {

constexpr std::size_t kColumnsOfLogs = 1'000;  // one line for each sentence, so that it can be searched

std::optional<ReportFormat> told_format(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto format = parse_report_format(name);
  if (!format) throw std::runtime_error("--reportFormat " + name + ": must be one of " + joined(report_format_names()));
  return format;
}

// A run of tests may be long: a report that cannot be written has to be noticed before it.
void check_folder(const std::string& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder, unknown))
    throw std::runtime_error("--report " + file + ": the folder " + folder.string() + " does not exist");
}

// Only that all is well or what breaks the budget, and rules that no request used: the report has the rest.
void print_verdict(const InsightReport& report, const std::string& budget, Verdict verdict) {
  const auto unused_rules = std::move(verdict.unused_rules);
  if (!is_broken(verdict)) {
    const ReportView view = view_of(report, verdict);
    std::cerr << "rocktable: " << view.headline << ": " << counted(view.totals.requests, "request", "requests")
              << " of " << counted(view.report.shapes.size(), "shape", "shapes") << ", judged by " << printable(budget)
              << '\n';
  } else {
    std::erase_if(verdict.violations, [](const Violation& one) { return one.level != Level::Error; });
    const ReportView view = view_of({}, verdict);
    RenderOptions options;
    options.columns = is_terminal() ? static_cast<std::size_t>(terminal_columns()) : kColumnsOfLogs;
    std::cerr << "rocktable: " << view.headline << '\n' << render_violations_as_text(view, options);
  }
  for (const auto& rule : unused_rules) std::cerr << "rocktable: " << printable(rule) << '\n';
  std::cerr << std::flush;
}

}  // namespace

ExecReport::ExecReport(const ExecReportFlags& flags) : file_(flags.report) {
  if (file_.empty() && !flags.report_format.empty()) throw std::runtime_error("--reportFormat needs --report");
  if (file_.empty() && !flags.prices.empty()) throw std::runtime_error("--prices needs --report");
  if (!flags.budget.empty()) budget_ = read_budget(flags.budget);
  if (!flags.prices.empty()) prices_ = read_prices(flags.prices);
  format_ = format_of_report(file_, told_format(flags.report_format));
  if (file_ == kReportToStandardOutput) {
    output_ = File::duplicate_of(StandardStream::Output);
  } else if (!file_.empty()) {
    check_folder(file_);
  }
}

void ExecReport::write(const std::string& text) const {
  if (file_ != kReportToStandardOutput) {
    write_report_file(file_, text);
  } else if (!output_.write_all(text)) {
    throw std::runtime_error("the report cannot be written to standard output");
  }
}

int ExecReport::finish(const std::string& queries) const {
  try {
    const InsightReport report = parse_insight_report(nlohmann::json::parse(queries));
    Verdict verdict = judge(report, budget_ ? &*budget_ : nullptr);
    if (prices_) verdict.cost = cost_of(report, *prices_, 1);
    if (!file_.empty()) write(render_report(report, verdict, format_, {}));
    if (!budget_) return kExitSuccess;
    print_verdict(report, budget_->file, verdict);
    return is_broken(verdict) ? kExitBudget : kExitSuccess;
  } catch (const std::exception& error) {
    std::cerr << "rocktable: " << printable(error.what()) << '\n' << std::flush;
    return kExitReport;
  }
}

}  // namespace rocktable
