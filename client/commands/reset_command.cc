#include "client/commands/reset_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "base/uri.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/confirmation.h"
#include "client/command_line/control_flags.h"
#include "client/control/control_client.h"
#include "client/control/table_counts.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

// What is emptied. An empty name means: not given.
struct ResetScope {
  std::string account, table;

  std::string to_string() const {
    const std::string whose = account.empty() ? "all accounts" : "the account " + account;
    return table.empty() ? whose : "the table " + table + " of " + whose;
  }

  std::string resource() const {
    std::string out = "reset";
    if (!account.empty()) out += "?account=" + percent_encode(account);
    if (!table.empty()) out += "&table=" + percent_encode(table);
    return out;
  }
};

nlohmann::json name_or_null(const std::string& name) { return name.empty() ? nlohmann::json() : nlohmann::json(name); }

int reset(ControlClient& instance, const ResetScope& scope, const Confirmation& confirmation,
          const CommandOutput& output) {
  std::optional<TableCounts> before;
  if (scope.table.empty()) {
    before = request_table_counts(instance);
    if (before && !scope.account.empty()) before = before->of_account(scope.account);
  }
  const bool loses = !before || before->total() > 0;
  if (loses)
    confirmation.require("Empty " + (before ? before->to_string() : scope.to_string()) + " at " + instance.address() +
                         "?");
  instance.request("POST", scope.resource());
  output.print_line("rocktable: reset " + scope.to_string() + " at " + instance.address() +
                    (before ? ": " + before->to_string() : ""));
  nlohmann::json accounts, tables;
  if (before) {
    accounts = before->by_account.size();
    tables = before->total();
  }
  output.print_document({{"endpoint", instance.address()},
                         {"account", name_or_null(scope.account)},
                         {"table", name_or_null(scope.table)},
                         {"accounts", accounts},
                         {"tables", tables}});
  return kExitSuccess;
}

}  // namespace

int run_reset(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable reset [--account NAME [--table NAME]]\n"
      "Empties a running rocktable in constant time: all accounts, one account (tables "
      "and settings), or one table (its access policies stay).",
      "rocktable reset");
  ControlClientOptions options;
  ResetScope scope;
  Confirmation confirmation;
  CommandOutput output;
  auto* const account_option = app.add_option("--account", scope.account, "Only this account")->type_name("NAME");
  app.add_option("--table", scope.table, "Only this table of the account")->type_name("NAME")->needs(account_option);
  confirmation.add_flag(app);
  output.add_flag(app);
  add_control_options(app, options);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(control_target_help());
  return run_command(app, argc, argv, output, [&] {
    // An empty name would empty everything.
    if (account_option->count() > 0 && scope.account.empty()) throw UsageError("--account must not be empty");
    if (app.count("--table") > 0 && scope.table.empty()) throw UsageError("--table must not be empty");
    confirmation.read_variable();
    ControlClient instance(options);
    return reset(instance, scope, confirmation, output);
  });
}

}  // namespace rocktable
