#include "client/commands/behave_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "base/uri.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/control_flags.h"
#include "client/control/control_client.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

struct BehaveFlags {
  ControlClientOptions instance;
  std::string list, account, clock;
  bool has_list = false, is_lenient = false;
};

// `throttle=500,20000,boundaries=4`, as --behave reads it.
std::string to_list(const nlohmann::json& behaviour) {
  std::string out;
  for (const auto& [name, value] : behaviour.items()) {
    if (!out.empty()) out += ',';
    out += name + "=";
    if (!value.is_array()) {
      out += value.dump();
    } else {
      for (std::size_t i = 0; i < value.size(); ++i) out += (i == 0 ? "" : ",") + value[i].dump();
    }
  }
  return out.empty() ? "off" : out;
}

// {"step": "+2h"}, {"frozen": "2026-01-01T00:00:00Z"}, {"frozen": true} or {}
nlohmann::json turn_of(const std::string& clock, bool is_lenient) {
  nlohmann::json out = nlohmann::json::object();
  if (clock == "frozen") {
    out["frozen"] = true;
  } else if (clock != "real") {
    const bool is_step = clock.starts_with('+') || clock.starts_with('-');
    out[is_step ? "step" : "frozen"] = clock;
  }
  if (is_lenient) out["lenient"] = true;
  return out;
}

int behave(ControlClient& instance, const BehaveFlags& flags, const CommandOutput& output) {
  const std::string resource = "behaviour" + (flags.account.empty() ? "" : "?account=" + percent_encode(flags.account));
  nlohmann::json document = flags.has_list
                                ? instance.request("PUT", resource, nlohmann::json{{"behaviour", flags.list}}.dump())
                                : instance.request("GET", resource);
  const std::string whose = flags.account.empty() ? "all accounts" : "the account " + flags.account;
  output.print_line(whose + " at " + instance.address() + ": " + to_list(document.at("behaviour")));
  if (flags.account.empty())
    for (const auto& [account, own] : document.at("accounts").items())
      output.print_line("the account " + account + ": " + to_list(own));
  const auto clock = flags.clock.empty()
                         ? instance.request("GET", "clock")
                         : instance.request("PUT", "clock", turn_of(flags.clock, flags.is_lenient).dump());
  const bool is_real = clock.value("offset", "") == "0s";
  const std::string turned = clock.at("frozen").get<bool>() ? "frozen" : "turned by " + clock.value("offset", "");
  if (!is_real)
    output.print_line("clock: " + clock.at("now").get<std::string>() + ", " + turned +
                      (clock.value("lenient", false) ? ", lenient" : ""));
  document["endpoint"] = instance.address();
  document["clock"] = clock;
  output.print_document(document);
  return kExitSuccess;
}

constexpr const char* kNames =
    "\nLIST consists of names and numbers, as in throttle=500,boundaries=4:\n"
    "  throttle=P,A     503 beyond P entities/s in a partition, A requests/s in an account\n"
    "                   [2000,20000]\n"
    "  retryAfter=S     Throttled answers have this Retry-After, in seconds\n"
    "  boundaries=N     Pages end at N partition keys; every second of them is empty\n"
    "  pageDeadline=MS  A page ends after this time [5000]\n"
    "  deleteDelay=S    The name of a deleted table stays TableBeingDeleted [40]\n"
    "  policyDelay=S    Changed access policies apply later [30]\n"
    "  latency=MS,SIGMA Delay of each answer: fixed, or the median of a lognormal one\n"
    "  seed=N           Of boundaries and latency [0]\n"
    "  off              None of these\n"
    "\nTimestamps never go back: after a turn forward, all later writes keep that time,\n"
    "until the clock is turned back and everything is reset.\n";

}  // namespace

int run_behave(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable behave [LIST]\n"
      "Makes a running rocktable behave as the service can; without LIST, shows its behaviour and clock.",
      "rocktable behave");
  BehaveFlags flags;
  CommandOutput output;
  auto* const list = app.add_option("LIST", flags.list, "The behaviour; replaces the former one")->type_name("");
  app.add_option("--account", flags.account, "Only of this account")->type_name("NAME");
  app.add_option("--clock", flags.clock, "Turn the clock: +2h, -15m, a time to stop it at, frozen or real")
      ->type_name("TURN");
  app.add_flag("--lenient", flags.is_lenient, "Keep accepting signatures of clients whose clock is real")
      ->needs("--clock");
  output.add_flag(app);
  add_control_options(app, flags.instance);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(kNames + control_target_help());
  return run_command(app, argc, argv, output, [&] {
    if (app.count("--account") > 0 && flags.account.empty()) throw UsageError("--account must not be empty");
    if (app.count("--clock") > 0 && flags.clock.empty()) throw UsageError("--clock must not be empty");
    flags.has_list = list->count() > 0;
    ControlClient instance(flags.instance);
    return behave(instance, flags, output);
  });
}

}  // namespace rocktable
