#include "server/program/exec/exec_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace rocktable {
namespace {

constexpr const char* kOptionsHelp =
    "rocktable exec [OPTIONS] -- COMMAND [ARGUMENT...]\n"
    "Runs COMMAND with its own table service, and ends with its exit code.\n\n"
    "  --export NAME    Also set variable NAME to the connection string; repeatable\n"
    "  --devStorage     UseDevelopmentStorage=true: 127.0.0.1, ports 10000 to 10002\n"
    "  --budget FILE    Exit code 3 if the requests of COMMAND exceed this budget\n"
    "  --report FILE    Write a report of these requests; - is standard output\n"
    "  --reportFormat FORMAT  text, markdown, html, json, junit (by the name)\n"
    "  --prices FILE    Prices, for the cost in the report\n"
    "  -h,--help        Show this page\n";

constexpr const char* kFooter =
    "  ... and all options of the server (rocktable --help), also in --config FILE.\n"
    "  Variables ROCKTABLE_... are ignored. Without --location, no data is kept.\n"
    "  Without --tablePort, a free port is used. Write --controlToken and --pwd as\n"
    "  @FILE or env:NAME: other users can see values on the command line.\n\n"
    "Environment of COMMAND:\n"
    "  AZURE_STORAGE_CONNECTION_STRING, AZURE_TABLES_CONNECTION_STRING: the same text\n"
    "  ROCKTABLE_ENDPOINT               http://127.0.0.1:PORT/devstoreaccount1\n"
    "  ROCKTABLE_URL, ROCKTABLE_PORT    http://127.0.0.1:PORT, PORT\n"
    "  ROCKTABLE_YES                    1: reset, snapshot restore do not ask\n"
    "  ROCKTABLE_CONTROL_TOKEN          With --controlToken: its value\n"
    "  ROCKTABLE_CA_FILE                With --tls auto: the authority to trust\n"
    "  IDENTITY_ENDPOINT, IDENTITY_HEADER: with --identity, for\n"
    "  DefaultAzureCredential; variables that lead it elsewhere are removed\n"
    "  SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE: with\n"
    "  --tls auto, the authorities trusted so far and this authority\n\n"
    "Exit codes: that of COMMAND; 128 + N if signal N ended it; 127 COMMAND not\n"
    "found; 126 COMMAND cannot be run; 1 the server failed; 2 wrong usage; 3 the\n"
    "budget is exceeded; 4 with --strictFaults, a fault rule hit no request.\n";

bool is_variable_name(const std::string& name) { return !name.empty() && name.find('=') == std::string::npos; }

// Applies --devStorage. SDKs define the meaning of UseDevelopmentStorage=true, so other values on the command
// line are refused: then returns the error message.
std::optional<std::string> use_development_storage(const CLI::App& app, Options& server) {
  for (const char* other :
       {"--tableHost", "--tablePort", "--blobHost", "--blobPort", "--queueHost", "--queuePort", "--tls", "--cert"})
    if (app.count(other) > 0)
      return std::string("--devStorage means 127.0.0.1, ports 10000 to 10002, and HTTP: remove ") + other;
  if (server.compatibility == Compatibility::AzuriteTable)
    return "--devStorage also opens the blob and queue ports: remove --compat azurite-table";
  const Options defaults;
  server.compatibility = Compatibility::Azurite;
  server.blob_port = defaults.blob_port;
  server.queue_port = defaults.queue_port;
  server.table_port = defaults.table_port;
  server.port_advice = "--devStorage needs this port: stop that program, or remove --devStorage";
  return std::nullopt;
}

// Returns an error message if an option concerns the program that starts the server, which is this one.
std::optional<std::string> refuse_options_of_parents(const Options& server) {
  if (server.stop_at_input_end) return "the server of exec stops with its command: remove --stopAtInputEnd";
  if (server.ready_file == kStandardOutput)
    return "standard output belongs to the command: --readyFile needs the name of a file";
  return std::nullopt;
}

// Sets out.report. Returns the message of wrong usage if a flag or a file has a mistake.
std::optional<CommandResult> read_report(const ExecReportFlags& flags, const CLI::App& app, ExecOptions& out) {
  try {
    out.report.emplace(flags);
    return std::nullopt;
  } catch (const std::exception& error) {
    return usage_error(app, error.what());
  }
}

}  // namespace

ExecOptions read_exec_command_line(int argc, const char* const* argv, std::optional<CommandResult>& ending) {
  CLI::App app("Runs COMMAND with its own table service, and ends with its exit code.", "rocktable exec");
  app.footer(kFooter);
  app.formatter_fn(
      [](const CLI::App*, const std::string&, CLI::AppFormatMode) { return std::string(kOptionsHelp) + kFooter; });
  Options defaults;
  defaults.table_port = defaults.blob_port = defaults.queue_port = 0;
  ServerFlags flags(app, defaults);
  ExecOptions out;
  app.add_option("--export", out.exports, "Also set variable NAME to the connection string; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--devStorage", out.dev_storage, "UseDevelopmentStorage=true: 127.0.0.1, ports 10000 to 10002");
  ExecReportFlags report;
  const auto add_file = [&](const char* name, std::string& value, const char* text) {
    app.add_option(name, value, text)->type_name("FILE");
  };
  add_file("--budget", report.budget, "Exit code 3 if the requests of COMMAND exceed this budget");
  add_file("--report", report.report, "Write a report of these requests; - is standard output");
  app.add_option("--reportFormat", report.report_format, "Format of the report (by the name of its file)")
      ->type_name("FORMAT");
  add_file("--prices", report.prices, "Prices, for the cost in the report");
  const auto* const dashes =
      std::find_if(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  ending = parse(app, static_cast<int>(dashes - argv), argv);
  if (ending) return {};
  Invocation server = flags.read();
  ending = server.ending;
  if (!ending && dashes >= argv + argc - 1) ending = usage_error(app, "the command to run is missing: put it after --");
  if (!ending && !std::all_of(out.exports.begin(), out.exports.end(), is_variable_name))
    ending = usage_error(app, "--export needs the name of a variable");
  if (!ending)
    if (const auto refusal = refuse_options_of_parents(server.options)) ending = usage_error(app, *refusal);
  if (!ending && out.dev_storage)
    if (const auto refusal = use_development_storage(app, server.options)) ending = usage_error(app, *refusal);
  if (!ending &&
      (!report.budget.empty() || !report.report.empty() || !report.report_format.empty() || !report.prices.empty()))
    ending = read_report(report, app, out);
  if (ending) return {};
  out.server = std::move(server.options);
  out.server.report_queries = out.report.has_value();
  out.server.silent = true;
  out.keeps_nothing = app.count("--location") == 0 && app.count("--store") == 0;
  out.server.in_memory = out.server.in_memory || out.keeps_nothing;
  out.command = dashes + 1;
  return out;
}

}  // namespace rocktable
