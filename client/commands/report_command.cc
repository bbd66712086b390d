#include "client/commands/report_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "client/commands/command_line.h"
#include "client/commands/command_output.h"
#include "client/commands/control_flags.h"
#include "client/control/control_client.h"
#include "client/report/insight_report.h"
#include "client/report/render_report.h"
#include "client/report/report_file.h"
#include "client/terminal/terminal.h"
#include "client/usage_error.h"
#include "odata/files/input_file.h"
#include "odata/text.h"
#include "odata/uri.h"

namespace rocktable {
namespace {

constexpr const char* kStandardInput = "-";

struct ReportFlags {
  ControlClientOptions instance;
  std::string from, save, format, output, account;
  bool reset = false;
};

std::string with_account(const std::string& resource, const ReportFlags& flags) {
  return flags.account.empty() ? resource : resource + "?account=" + percent_encode(flags.account);
}

nlohmann::json document_of_file(const std::string& path) {
  const bool is_input = path == kStandardInput;
  const std::string text =
      is_input ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(path);
  auto document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded())
    throw std::runtime_error((is_input ? "standard input" : path) + " is not JSON");
  return document;
}

InsightReport report_of(const nlohmann::json& document, const ReportFlags& flags) {
  InsightReport out = parse_insight_report(document);
  if (flags.account.empty()) return out;
  const auto is_of_another = [&](const auto& one) { return one.account != flags.account; };
  std::erase_if(out.shapes, is_of_another);
  std::erase_if(out.findings, is_of_another);
  return out;
}

// Without a budget each finding is a warning.
Verdict warnings_of(const InsightReport& report) {
  Verdict out;
  for (const Finding& finding : merged(report).findings) {
    Violation warning;
    warning.id = finding.id;
    warning.table = finding.table;
    warning.operation = finding.operation;
    warning.fingerprint = finding.fingerprint;
    warning.client = finding.client;
    warning.test = finding.test;
    warning.example = finding.example;
    warning.count = finding.count;
    warning.sentence = finding.sentence;
    out.violations.push_back(std::move(warning));
  }
  return out;
}

void write(const InsightReport& report, const Verdict& verdict, ReportFormat format,
           const std::string& path) {
  const bool is_printed = path.empty() || path == kReportToStandardOutput;
  RenderOptions options;
  if (is_printed) options = {output_has_colours(), static_cast<std::size_t>(output_columns())};
  const std::string text = render_report(report, verdict, format, options);
  if (!is_printed) return write_report_file(path, text);
  std::cout << text << std::flush;
  if (!std::cout) throw std::runtime_error("the report cannot be written to standard output");
}

int report(const ReportFlags& flags, const CommandOutput& output) {
  std::optional<ControlClient> instance;
  if (flags.from.empty()) instance.emplace(flags.instance);
  const nlohmann::json document =
      instance ? instance->request("GET", with_account("queries", flags)) : document_of_file(flags.from);
  const InsightReport recorded = report_of(document, flags);
  if (!flags.save.empty())
    write_report_file(flags.save,
                      document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
  const auto told = output.is_json() ? ReportFormat::Json : parse_report_format(flags.format);
  write(recorded, warnings_of(recorded), format_of_report(flags.output, told), flags.output);
  if (flags.reset) instance->request("POST", with_account("queries/reset", flags));
  return kExitSuccess;
}

std::string why_no_format(const std::string& given) {
  return parse_report_format(given)
             ? ""
             : "there is no format " + given + "; there are " + joined(report_format_names());
}

}  // namespace

int run_report(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable report [--from FILE] [--format FORMAT] [--output FILE]\n"
      "Shows what a running rocktable recorded about requests: their shapes, how many entities each "
      "scanned and returned, and what could be better.",
      "rocktable report");
  ReportFlags flags;
  CommandOutput output;
  app.add_option("--from", flags.from, "A saved report instead of a running rocktable; - is standard input")
      ->type_name("FILE");
  app.add_option("--save", flags.save, "Save what is reported, for --from")->type_name("FILE");
  auto* const format = app.add_option("--format", flags.format,
                                      "text, markdown, html, json, junit or github; else by --output")
                           ->type_name("FORMAT")
                           ->check(CLI::Validator(why_no_format, ""));
  app.add_option("--output", flags.output, "Write the report to this file; - is standard output")
      ->type_name("FILE");
  app.add_option("--account", flags.account, "Only requests of this account")->type_name("NAME");
  auto* const reset = app.add_flag("--reset", flags.reset, "Then forget what was recorded");
  reset->excludes("--from");
  output.add_flag(app);
  format->excludes("--json");
  add_control_options(app, flags.instance);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(control_target_help());
  return run_command(app, argc, argv, output, [&] {
    for (const char* const name : {"--from", "--save", "--output", "--account"}) {
      const auto* const option = app.get_option(name);
      if (option->count() > 0 && option->as<std::string>().empty())
        throw UsageError(std::string(name) + " must not be empty");
    }
    return report(flags, output);
  });
}

}  // namespace rocktable
