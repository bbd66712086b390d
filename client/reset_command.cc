#include "client/reset_command.h"

#include <nlohmann/json.hpp>
#include <string>

#include "client/command_line.h"
#include "client/instance.h"
#include "odata/uri.h"

namespace rocktable {

int run_reset(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable reset [--account NAME [--table NAME]]\n"
      "Empties a running rocktable in constant time: all accounts; or one, its tables and settings; or one "
      "table, which "
      "stays with its access policies.",
      "rocktable reset");
  InstanceOptions instance;
  std::string account, table;
  auto* const account_option = app.add_option("--account", account, "This account alone")->type_name("NAME");
  app.add_option("--table", table, "This table of the account alone")
      ->type_name("NAME")
      ->needs(account_option);
  add_instance_options(app, instance);
  if (const auto ending = parse(app, argc, argv)) return ending->tell();
  if (account_option->count() > 0 && account.empty())
    return wrong_usage(app, "an account has a name").tell();  // else all of them would go
  if (app.count("--table") > 0 && table.empty()) return wrong_usage(app, "a table has a name").tell();

  std::string resource = "reset", what = "all accounts";
  if (!account.empty()) {
    resource += "?account=" + percent_encode(account);
    what = "the account " + account;
  }
  if (!table.empty()) {
    resource += "&table=" + percent_encode(table);
    what = "the table " + table + " of " + what;
  }
  Instance(instance).ask("POST", resource);
  say("rocktable: reset " + what);
  return kDone;
}

}  // namespace rocktable
