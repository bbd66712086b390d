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
  std::string file, account, name, period, answer = "busy";
  bool is_off = false;
};

// A name may have blanks.
std::string in_double_quotes(const std::string& name) { return "\"" + name + "\""; }

std::string of_account(const std::string& resource, const std::string& account) {
  return resource + (account.empty() ? "" : "?account=" + percent_encode(account));
}

int add(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  const std::string rules =
      flags.file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(flags.file);
  auto added = instance.request("POST", "faults", rules);
  for (const auto& rule : added.at("faults"))
    output.print_line("rocktable: added the fault rule " + in_double_quotes(rule.at("name")) + " at " +
                      instance.address() +
                      (rule.at("when").contains("seed") ? ", seed " + rule["when"]["seed"].dump() : ""));
  added["endpoint"] = instance.address();
  output.print_document(added);
  return kExitSuccess;
}

int list(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  auto faults = instance.request("GET", of_account("faults", flags.account));
  for (const auto& rule : faults.at("faults"))
    output.print_line(in_double_quotes(rule.at("name")) + ": " + counted(rule.at("hits"), "hit", "hits") + " of " +
                      counted(rule.at("matched"), "request", "requests") + "; match " + rule.at("match").dump() +
                      ", when " + rule.at("when").dump() + ", then " + rule.at("then").dump() +
                      (rule.value("on", true) ? "" : "; off now"));
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

// --- Outages ------------------------------------------------------------------------------------------------

// An outage is a fault rule of this name, so that it is listed, counted and removed as all rules are.
std::string outage_name(const std::string& account) { return account.empty() ? "outage" : "outage-" + account; }

int end_outage(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  const std::string name = outage_name(flags.account);
  bool was_on = true;
  try {
    instance.request("DELETE", "faults/" + percent_encode(name));
  } catch (const ControlError& error) {
    constexpr int kNotFound = 404;
    if (error.status() != kNotFound) throw;
    was_on = false;
  }
  output.print_line(std::string(was_on ? "rocktable: ended the outage" : "rocktable: there was no outage") +
                    (flags.account.empty() ? "" : " of the account " + flags.account) + " at " + instance.address());
  output.print_document({{"endpoint", instance.address()}, {"removed", was_on ? 1 : 0}});
  return kExitSuccess;
}

int begin_outage(ControlClient& instance, const FaultsFlags& flags, const CommandOutput& output) {
  nlohmann::json rule = {{"then", {{"at", "arrival"}}}};
  if (flags.answer == "busy") {
    rule["then"]["status"] = 503;
  } else {
    rule["then"][flags.answer] = true;
  }
  if (!flags.account.empty()) rule["match"]["account"] = flags.account;
  if (!flags.period.empty()) rule["when"]["for"] = flags.period;
  auto added = instance.request("PUT", "faults/" + percent_encode(outage_name(flags.account)), rule.dump());
  const std::string whose = flags.account.empty() ? "every request" : "every request of the account " + flags.account;
  const std::string gets = flags.answer == "busy"    ? " gets 503 ServerBusy"
                           : flags.answer == "reset" ? " has its connection reset"
                                                     : " has its connection closed";
  output.print_line("rocktable: " + whose + gets + " at " + instance.address() +
                    (flags.period.empty() ? "" : " for " + flags.period) + "; `rocktable faults outage --off" +
                    (flags.account.empty() ? "" : " --account " + flags.account) + "` ends it");
  output.print_document({{"endpoint", instance.address()}, {"faults", {added}}});
  return kExitSuccess;
}

// --- Retries ------------------------------------------------------------------------------------------------

// `POST /devstoreaccount1/orders: "lost insert", then 409 EntityAlreadyExists after 812 ms; failed; committed once; met
// its own work`
std::string retry_summary(const nlohmann::json& request) {
  std::string out = request.at("method").get<std::string>() + " " + request.at("target").get<std::string>() + ": ";
  const auto& attempts = request.at("attempts");
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto& attempt = attempts[i];
    if (i > 0) out += ", then ";
    if (attempt.at("fault").is_string()) {
      const std::string fault = attempt["fault"];
      out += fault == "throttle" ? fault : in_double_quotes(fault);
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
      "rocktable faults add|list|clear|outage|retries\n"
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
  auto* const outage = add_command("outage", "Let every request fail, as if the service were down");
  auto* const retrying = add_command("retries", "Show requests that came again after a fault");
  for (auto* const command : {listing, clearing, outage, retrying})
    command->add_option("--account", flags.account, "Only those of this account")->type_name("NAME");
  clearing->add_option("NAME,--name", flags.name, "Only this rule")->type_name("NAME")->excludes("--account");
  outage->add_option("--for", flags.period, "It ends after this time, such as 30s")->type_name("TIME");
  outage->add_option("--as", flags.answer, "busy: 503 ServerBusy; reset or close: the connection ends")
      ->type_name("KIND")
      ->check(CLI::IsMember({"busy", "reset", "close"}))
      ->capture_default_str();
  outage->add_flag("--off", flags.is_off, "End it")->excludes("--for", "--as");
  return run_command(app, argc, argv, output, [&] {
    for (const auto* const command : {listing, clearing, outage, retrying})
      if (command->count("--account") > 0 && flags.account.empty()) throw UsageError("--account must not be empty");
    if (clearing->count("--name") > 0 && flags.name.empty()) throw UsageError("NAME must not be empty");
    if (outage->count("--for") > 0 && flags.period.empty()) throw UsageError("--for must not be empty");
    ControlClient instance(flags.instance);
    if (adding->parsed()) return add(instance, flags, output);
    if (listing->parsed()) return list(instance, flags, output);
    if (clearing->parsed()) return clear(instance, flags, output);
    if (outage->parsed()) return (flags.is_off ? end_outage : begin_outage)(instance, flags, output);
    return retries(instance, flags, output);
  });
}

}  // namespace rocktable
