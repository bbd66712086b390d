#include "client/commands/reset_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "client/commands/command_line.h"
#include "client/commands/command_output.h"
#include "client/commands/confirmation.h"
#include "client/commands/control_flags.h"
#include "client/control/contents_summary.h"
#include "client/control/control_client.h"
#include "client/wrong_usage.h"
#include "odata/uri.h"

namespace rocktable {
namespace {

constexpr std::size_t kHelpColumn = 36;

// What is emptied; an empty name is not given.
struct Reach {
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

nlohmann::json name_or_null(const std::string& name) {
  return name.empty() ? nlohmann::json() : nlohmann::json(name);
}

int reset(ControlClient& instance, const Reach& reach, const Confirmation& confirmation,
          const CommandOutput& output) {
  std::optional<ContentsSummary> before;
  if (reach.table.empty()) {
    before = contents_of(instance);
    if (before && !reach.account.empty()) before = before->of_account(reach.account);
  }
  const bool loses = !before || before->tables() > 0;
  if (loses)
    confirmation.ask("Empty " + (before ? before->to_string() : reach.to_string()) + " at " +
                     instance.address() + "?");
  instance.ask("POST", reach.resource());
  output.say("rocktable: reset " + reach.to_string() + " at " + instance.address() +
             (before ? ": " + before->to_string() : ""));
  nlohmann::json accounts, tables;
  if (before) {
    accounts = before->tables_of.size();
    tables = before->tables();
  }
  output.give({{"endpoint", instance.address()},
               {"account", name_or_null(reach.account)},
               {"table", name_or_null(reach.table)},
               {"accounts", accounts},
               {"tables", tables}});
  return kDone;
}

}  // namespace

int run_reset(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable reset [--account NAME [--table NAME]]\n"
      "Empties a running rocktable in constant time: all accounts; or one, its tables and settings; or one "
      "table, which stays with its access policies.",
      "rocktable reset");
  ControlClientOptions options;
  Reach reach;
  Confirmation confirmation;
  CommandOutput output;
  auto* const account_option =
      app.add_option("--account", reach.account, "This account alone")->type_name("NAME");
  app.add_option("--table", reach.table, "This table of the account alone")
      ->type_name("NAME")
      ->needs(account_option);
  confirmation.add_flag(app);
  output.add_flag(app);
  add_control_options(app, options);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(about_control_targets());
  return run_command(app, argc, argv, output, [&] {
    // Else all of them would go.
    if (account_option->count() > 0 && reach.account.empty()) throw WrongUsage("an account has a name");
    if (app.count("--table") > 0 && reach.table.empty()) throw WrongUsage("a table has a name");
    confirmation.take_variable();
    ControlClient instance(options);
    return reset(instance, reach, confirmation, output);
  });
}

}  // namespace rocktable
