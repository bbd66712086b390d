#include "client/commands/faults_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "base/input_file.h"
#include "base/text.h"
#include "base/uri.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/control_flags.h"
#include "client/control/control_client.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

struct FaultsFlags {
  ControlClientOptions instance;
  std::string file, account, name;
};

std::string of_account(const std::string& resource, const std::string& account) {
  return resource + (account.empty() ? "" : "?account=" + percent_encode(account));
}

int add(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  const std::string rules =
      flags.file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(flags.file);
  auto added = instance.request("POST", "faults", rules);
  for (const auto& rule : added.at("faults"))
    output.print_line("rocktable: added the fault rule " + rule.at("name").get<std::string>() + " at " +
                      instance.address() +
                      (rule.at("when").contains("seed") ? ", seed " + rule["when"]["seed"].dump() : ""));
  added["endpoint"] = instance.address();
  output.print_document(added);
  return kExitSuccess;
}

int list(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  auto faults = instance.request("GET", of_account("faults", flags.account));
  for (const auto& rule : faults.at("faults"))
    output.print_line(rule.at("name").get<std::string>() + ": " + counted(rule.at("hits"), "hit", "hits") + " of " +
                      counted(rule.at("matched"), "request", "requests") + "; match " + rule.at("match").dump() +
                      ", when " + rule.at("when").dump() + ", then " + rule.at("then").dump());
  faults["endpoint"] = instance.address();
  output.print_document(faults);
  return kExitSuccess;
}

int clear(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  std::uint64_t removed = 1;
  if (!flags.name.empty()) {
    instance.request("DELETE", "faults/" + percent_encode(flags.name));
  } else {
    removed = instance.request("DELETE", of_account("faults", flags.account)).at("removed");
  }
  output.print_line("rocktable: removed " + counted(removed, "fault rule", "fault rules") + " at " +
                    instance.address());
  output.print_document({{"endpoint", instance.address()}, {"removed", removed}});
  return kExitSuccess;
}

// `POST /devstoreaccount1/orders: lost-insert, then 409 EntityAlreadyExists after 812 ms; failed; committed once; met
// its own work`
std::string retry_summary(const nlohmann::json& request) {
  std::string out = request.at("method").get<std::string>() + " " + request.at("target").get<std::string>() + ": ";
  const auto& attempts = request.at("attempts");
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto& attempt = attempts[i];
    if (i > 0) out += ", then ";
    if (attempt.at("fault").is_string()) {
      out += attempt["fault"].get<std::string>();
    } else {
      out += attempt.at("status").dump();
      if (attempt.at("code").is_string()) out += " " + attempt["code"].get<std::string>();
    }
    if (i > 0) out += " after " + attempt.at("after").dump() + " ms";
  }
  out += "; " + request.at("outcome").get<std::string>();
  const int committed = request.at("committed");
  if (committed > 0) out += committed == 1 ? "; committed once" : "; committed " + std::to_string(committed) + " times";
  if (request.at("metOwnWork").get<bool>()) out += "; met its own work";
  return out;
}

int retries(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  auto seen = instance.request("GET", of_account("retries", flags.account));
  for (const auto& request : seen.at("retries")) output.print_line(retry_summary(request));
  seen["endpoint"] = instance.address();
  output.print_document(seen);
  return kExitSuccess;
}

}  // namespace

int run_faults(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable faults add|list|clear|retries\n"
      "Makes requests to a running rocktable fail as rules say, and shows what clients did then.",
      "rocktable faults");
  FaultsFlags flags;
  CommandOutput output;
  add_control_options(app, flags.instance);
  list_inherited_options(app);
  app.require_subcommand(1);
  app.fallthrough();  // options of the instance may come before or after the subcommand
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(control_target_help());
  const auto add_command = [&](const char* action, const char* text) {
    auto* const command = app.add_subcommand(action, text);
    output.add_flag(*command);
    return command;
  };
  auto* const adding = add_command("add", "Add the rules of a file");
  adding->add_option("FILE", flags.file, "A rule or a list of rules; - is standard input")->type_name("")->required();
  auto* const listing = add_command("list", "Show the rules and how often they hit");
  auto* const clearing = add_command("clear", "Remove all rules, or some");
  auto* const retrying = add_command("retries", "Show requests that came again after a fault");
  for (auto* const command : {listing, clearing, retrying})
    command->add_option("--account", flags.account, "Only those of this account")->type_name("NAME");
  clearing->add_option("--name", flags.name, "Only this rule")->type_name("NAME")->excludes("--account");
  return run_command(app, argc, argv, output, [&] {
    for (const auto* const command : {listing, clearing, retrying})
      if (command->count("--account") > 0 && flags.account.empty()) throw UsageError("--account must not be empty");
    if (clearing->count("--name") > 0 && flags.name.empty()) throw UsageError("--name must not be empty");
    ControlClient instance(flags.instance);
    if (adding->parsed()) return add(instance, flags, output);
    if (listing->parsed()) return list(instance, flags, output);
    if (clearing->parsed()) return clear(instance, flags, output);
    return retries(instance, flags, output);
  });
}

}  // namespace rocktable
