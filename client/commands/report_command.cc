#include "client/commands/report_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/input_file.h"
#include "base/text.h"
#include "base/uri.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/control_flags.h"
#include "client/commands/data_report.h"
#include "client/control/control_client.h"
#include "client/report/insight_report.h"
#include "client/report/judge/budget.h"
#include "client/report/judge/judge.h"
#include "client/report/judge/write_budget.h"
#include "client/report/prices.h"
#include "client/report/render/render_html.h"
#include "client/report/render/render_report.h"
#include "client/report/render/render_roles.h"
#include "client/report/render/report_file.h"
#include "client/terminal/terminal.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

constexpr const char* kStandardInput = "-";

struct ReportFlags {
  ControlClientOptions instance;
  std::string from, save, format, output, account;
  std::vector<std::string> logs;  // files
  std::string budget, write_budget, prices;
  std::uint64_t times = 1;
  bool reset = false;
  bool data = false, budget_schema = false, why = false, roles = false;
  DataFlags stored;
};

std::string with_account(const std::string& resource, const ReportFlags& flags) {
  return flags.account.empty() ? resource : resource + "?account=" + percent_encode(flags.account);
}

nlohmann::json document_of_file(const std::string& path) {
  const bool is_input = path == kStandardInput;
  const std::string text = is_input ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(path);
  auto document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) throw std::runtime_error((is_input ? "standard input" : path) + " is not JSON");
  return document;
}

InsightReport report_of(const nlohmann::json& document, const ReportFlags& flags) {
  InsightReport out = parse_insight_report(document);
  if (flags.account.empty()) return out;
  const auto is_of_another = [&](const auto& one) { return one.account != flags.account; };
  std::erase_if(out.shapes, is_of_another);
  std::erase_if(out.findings, is_of_another);
  if (out.permissions && std::erase_if(out.permissions->callers, is_of_another) > 0 && out.permissions->callers.empty())
    out.permissions.reset();
  return out;
}

bool is_printed(const ReportFlags& flags) { return flags.output.empty() || flags.output == kReportToStandardOutput; }

void write(const std::string& text, const ReportFlags& flags) {
  if (!is_printed(flags)) return write_report_file(flags.output, text);
  std::cout << text << std::flush;
  if (!std::cout) throw std::runtime_error("the report cannot be written to standard output");
}

void write(const InsightReport& report, const Verdict& verdict, ReportFormat format, const ReportFlags& flags) {
  RenderOptions options;
  if (is_printed(flags)) options = {output_has_colours(), static_cast<std::size_t>(output_columns())};
  options.explains = flags.why;
  write(render_report(report, verdict, format, options), flags);
}

// Mistakes in these files are mistakes on the command line.
template <class Read>
auto read_for_report(const std::string& file, const Read& read) -> std::optional<decltype(read(file))> {
  if (file.empty()) return std::nullopt;
  try {
    return read(file);
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
}

ReportFormat format_for(const ReportFlags& flags, const CommandOutput& output) {
  const auto told = output.is_json() ? ReportFormat::Json : parse_report_format(flags.format);
  return format_of_report(flags.output, told);
}

// A budget is written in place of the report, unless something else asks for the report, too.
bool only_writes_budget(const ReportFlags& flags, const CommandOutput& output) {
  return !flags.write_budget.empty() && !output.is_json() && flags.output.empty() && flags.format.empty() &&
         flags.budget.empty() && flags.prices.empty();
}

// Adds what callers needed as the member `permissions`, if there were callers. Returns false if the instance is of a
// version that does not know it.
bool add_permissions(nlohmann::json& document, ControlClient& instance, const ReportFlags& flags) {
  try {
    nlohmann::json permissions = instance.request("GET", with_account("permissions", flags));
    const PermissionNeeds needs = parse_permission_needs(permissions);
    if (!needs.callers.empty() || needs.not_counted > 0) document["permissions"] = std::move(permissions);
    return true;
  } catch (const ControlError& error) {
    if (error.status() != 404) throw;
    return false;
  }
}

int report_requests(const ReportFlags& flags, const CommandOutput& output, ReadLogs read_logs) {
  const auto budget = read_for_report(flags.budget, read_budget);
  const auto prices = read_for_report(flags.prices, read_prices);
  const ReportFormat format = format_for(flags, output);
  std::optional<ControlClient> instance;
  if (flags.from.empty() && flags.logs.empty()) instance.emplace(flags.instance);
  nlohmann::json document = instance             ? instance->request("GET", with_account("queries", flags))
                            : flags.logs.empty() ? document_of_file(flags.from)
                                                 : read_logs(flags.logs);
  const bool has_roles = (format != ReportFormat::Text && format != ReportFormat::Junit) || !flags.save.empty();
  const bool has_permissions = instance && has_roles && add_permissions(document, *instance, flags);
  const InsightReport recorded = report_of(document, flags);
  if (!flags.save.empty())
    write_report_file(flags.save, document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
  if (!flags.write_budget.empty()) write_budget(flags.write_budget, recorded);
  Verdict verdict = judge(recorded, budget ? &*budget : nullptr);
  if (prices) verdict.cost = cost_of(recorded, *prices, flags.times);
  if (!only_writes_budget(flags, output)) write(recorded, verdict, format, flags);
  if (flags.reset) instance->request("POST", with_account("queries/reset", flags));
  if (flags.reset && has_permissions) instance->request("DELETE", with_account("permissions", flags));
  return is_broken(verdict) ? kExitBudget : kExitSuccess;
}

// What callers needed, from a saved report, or from what `report --roles --json` printed.
nlohmann::json permissions_of_file(const ReportFlags& flags) {
  const nlohmann::json document = document_of_file(flags.from);
  if (document.is_object() && document.contains("callers")) return document;
  if (document.is_object() && document.contains("permissions")) return document.at("permissions");
  throw std::runtime_error(flags.from + " does not tell what callers needed: no request of it had a bearer token or " +
                           "a shared access signature, or a server or a log without this wrote it");
}

std::string rendered_roles(const PermissionNeeds& needs, ReportFormat format) {
  if (format == ReportFormat::Json)
    return to_json(needs).dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  const PermissionNeeds shown = printable_needs(needs);
  if (format == ReportFormat::Html) return render_roles_page(shown);
  return format == ReportFormat::Markdown ? roles_as_markdown(shown) : roles_as_text(shown);
}

int report_roles(const ReportFlags& flags, const CommandOutput& output) {
  const ReportFormat format = format_for(flags, output);
  if (format == ReportFormat::Junit) throw UsageError("--roles has the formats text, markdown, html and json");
  std::optional<ControlClient> instance;
  if (flags.from.empty()) instance.emplace(flags.instance);
  PermissionNeeds needs = parse_permission_needs(instance ? instance->request("GET", with_account("permissions", flags))
                                                          : permissions_of_file(flags));
  if (!flags.account.empty())
    std::erase_if(needs.callers, [&](const CallerNeeds& caller) { return caller.account != flags.account; });
  write(rendered_roles(needs, format), flags);
  if (flags.reset) instance->request("DELETE", with_account("permissions", flags));
  return kExitSuccess;
}

// The usual target of the command is a running rocktable, by an address. Stored data belong to an account: that target
// is not meant.
std::string account_of_data(const std::string& connection) {
  const char* const variable = std::getenv("ROCKTABLE_URL");
  const bool is_given =
      connection != ControlTargetOptions().connection && (variable == nullptr || connection != variable);
  return is_given ? connection : "";
}

int report_data(ReportFlags& flags, const CommandOutput& output) {
  const auto prices = read_for_report(flags.prices, read_prices);
  flags.stored.connection = account_of_data(flags.instance.target.connection);
  flags.stored.authority_file = flags.instance.target.ca_file;
  InsightReport found;
  for (TableData& data : read_stored_data(flags.stored)) {
    found.tables.push_back(std::move(data.stored));
    std::move(data.findings.begin(), data.findings.end(), std::back_inserter(found.findings));
  }
  Verdict verdict = judge(found, nullptr);
  if (prices && prices->storage_per_gigabyte_month) verdict.cost = storage_cost_of(found, *prices);
  write(found, verdict, format_for(flags, output), flags);
  return kExitSuccess;
}

// Throws UsageError if options exclude each other.
void check(const CLI::App& app, const ReportFlags& flags) {
  for (const char* const name :
       {"--from", "--save", "--output", "--account", "--budget", "--writeBudget", "--prices"}) {
    const auto* const option = app.get_option(name);
    if (option->count() > 0 && option->as<std::string>().empty())
      throw UsageError(std::string(name) + " must not be empty");
  }
  if (std::find(flags.logs.begin(), flags.logs.end(), "") != flags.logs.end())
    throw UsageError("--logs must not be empty");
  if (app.count("--times") > 0 && flags.prices.empty()) throw UsageError("--times needs --prices");
  for (const char* const name : {"--table", "--sample"})
    if (app.count(name) > 0 && !flags.data) throw UsageError(std::string(name) + " needs --data");
  for (const char* const name : {"--logs", "--save", "--budget", "--writeBudget", "--prices", "--why", "--data"})
    if (app.count(name) > 0 && flags.roles) throw UsageError(std::string("--roles excludes ") + name);
  for (const char* const name :
       {"--from", "--logs", "--save", "--account", "--reset", "--budget", "--writeBudget", "--times"})
    if (app.count(name) > 0 && flags.data)
      throw UsageError("--data is about stored entities, " + std::string(name) + " about requests");
}

std::string why_no_format(const std::string& given) {
  return parse_report_format(given) ? ""
                                    : "there is no format " + given + "; there are " + joined(report_format_names());
}

}  // namespace

int run_report(int argc, const char* const* argv, ReadLogs read_logs) {
  CLI::App app(
      "rocktable report [--from FILE | --logs FILE... | --data] [--budget FILE] [--format FORMAT] [--output FILE]\n"
      "Shows what a running rocktable recorded about requests: their shapes, how many entities each "
      "scanned and returned, and what could be better.",
      "rocktable report");
  ReportFlags flags;
  CommandOutput output;
  app.add_option("--from", flags.from, "A saved report instead of a running rocktable; - is standard input")
      ->type_name("FILE");
  auto* const logs =
      app.add_option("--logs", flags.logs, "Logs of the real service, or folders of them; - is standard input")
          ->type_name("FILE");
  logs->excludes("--from");
  app.add_option("--save", flags.save, "Save what is reported, for --from")->type_name("FILE");
  auto* const format = app.add_option("--format", flags.format, "text, markdown, html, json or junit; else by --output")
                           ->type_name("FORMAT")
                           ->check(CLI::Validator(why_no_format, ""));
  app.add_option("--output", flags.output, "Write the report to this file; - is standard output")->type_name("FILE");
  const auto add_file = [&](const char* name, std::string& file, const char* text) {
    app.add_option(name, file, text)->type_name("FILE");
  };
  add_file("--budget", flags.budget, "Exit code 3 if the requests exceed this budget");
  add_file("--writeBudget", flags.write_budget, "Write a budget that allows these requests, in place of a report");
  add_file("--prices", flags.prices, "Prices, for the cost");
  add_number(app, "--times", flags.times, 1, 1'000'000'000, "The cost of so many times these requests")->type_name("N");
  app.add_option("--account", flags.account, "Only requests of this account")->type_name("NAME");
  auto* const reset = app.add_flag("--reset", flags.reset, "Then forget what was recorded");
  reset->excludes("--from");
  reset->excludes("--logs");
  app.add_flag("--data", flags.data, "Instead, look through stored entities of the account of CONN");
  app.add_option("--table", flags.stored.tables, "With --data: only this table; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_number(app, "--sample", flags.stored.sample, 1, 1'000'000'000,
             "With --data: read so many entities of each table (100000)")
      ->type_name("N");
  app.add_flag("--why", flags.why, "Explain what could be better, with the change as code");
  app.add_flag(
      "--roles", flags.roles,
      "Only the smallest roles and signatures that suffice. Reports as markdown, html and json have them, too, "
      "if a request had a token or a signature");
  app.add_flag("--budgetSchema", flags.budget_schema, "Print the JSON schema of budgets");
  output.add_flag(app);
  format->excludes("--json");
  add_control_options(app, flags.instance);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(control_target_help());
  return run_command(app, argc, argv, output, [&] {
    check(app, flags);
    if (flags.budget_schema) {
      std::cout << kBudgetSchema << std::flush;
      return kExitSuccess;
    }
    if (flags.roles) return report_roles(flags, output);
    return flags.data ? report_data(flags, output) : report_requests(flags, output, read_logs);
  });
}

}  // namespace rocktable
