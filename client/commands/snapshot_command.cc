#include "client/commands/snapshot_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
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

struct SnapshotFlags {
  ControlClientOptions instance;
  std::string name;
  bool replace = false;
  Confirmation confirmation;
};

std::string resource_of(const std::string& name) { return "snapshots/" + percent_encode(name); }

std::string tables_in(const nlohmann::json& snapshot) {
  return number_of_tables(snapshot.at("tables").get<std::uint64_t>());
}

// `2 tables, taken 2026-11-21T10:00:00.0000000Z`
std::string summary(const nlohmann::json& snapshot) {
  return tables_in(snapshot) + ", taken " + snapshot.at("taken").get<std::string>();
}

// Prints one line per snapshot.
void print_list(const nlohmann::json& snapshots, const CommandOutput& output) {
  std::size_t widest = 0;
  for (const auto& snapshot : snapshots) widest = std::max(widest, snapshot.at("name").get<std::string>().size());
  for (const auto& snapshot : snapshots) {
    std::string name = snapshot.at("name").get<std::string>();
    name.resize(std::max(widest, name.size()), ' ');
    output.print_line(name + "  " + snapshot.at("taken").get<std::string>() + "  " + tables_in(snapshot) + "  " +
                      std::to_string(snapshot.at("bytes").get<std::uint64_t>()) + " bytes");
  }
}

// The snapshot that --replace replaces; null if there is none.
nlohmann::json snapshot_before(ControlClient& instance, const SnapshotFlags& flags) {
  constexpr int kNotFound = 404;
  if (!flags.replace) return {};
  try {
    return instance.request("GET", resource_of(flags.name));
  } catch (const ControlError& error) {
    if (error.status() != kNotFound) throw;
    return {};
  }
}

int take(ControlClient& instance, const SnapshotFlags& flags, const CommandOutput& output) {
  const auto replaced = snapshot_before(instance, flags);
  const auto snapshot = instance.request("POST", resource_of(flags.name) + (flags.replace ? "?replace=true" : ""));
  output.print_line("rocktable: took the snapshot " + flags.name + " of all accounts at " + instance.address() + ": " +
                    tables_in(snapshot) + (replaced.is_null() ? "" : ", replacing " + summary(replaced)));
  output.print_document({{"endpoint", instance.address()}, {"snapshot", snapshot}, {"replaced", replaced}});
  return kExitSuccess;
}

int restore(ControlClient& instance, const SnapshotFlags& flags, const CommandOutput& output) {
  const auto snapshot = instance.request("GET", resource_of(flags.name));
  const auto before = request_table_counts(instance);
  if (!before || before->total() > 0)
    flags.confirmation.require("Replace " + (before ? before->to_string() : "all tables of all accounts") + " at " +
                               instance.address() + " with the snapshot " + flags.name + " (" + summary(snapshot) +
                               ")?");
  instance.request("POST", resource_of(flags.name) + "/restore");
  output.print_line("rocktable: restored the snapshot " + flags.name + " of all accounts at " + instance.address() +
                    ": " + summary(snapshot) + (before ? ", replacing " + before->to_string() : ""));
  nlohmann::json accounts, tables;
  if (before) {
    accounts = before->by_account.size();
    tables = before->total();
  }
  output.print_document({{"endpoint", instance.address()},
                         {"snapshot", snapshot},
                         {"replaced", {{"accounts", accounts}, {"tables", tables}}}});
  return kExitSuccess;
}

// Does not ask for confirmation: the command names the one snapshot that it deletes.
int remove(ControlClient& instance, const SnapshotFlags& flags, const CommandOutput& output) {
  const auto snapshot = instance.request("GET", resource_of(flags.name));
  instance.request("DELETE", resource_of(flags.name));
  output.print_line("rocktable: deleted the snapshot " + flags.name + " at " + instance.address() + ": " +
                    summary(snapshot));
  output.print_document({{"endpoint", instance.address()}, {"snapshot", snapshot}});
  return kExitSuccess;
}

int list(ControlClient& instance, const CommandOutput& output) {
  const auto snapshots = instance.request("GET", "snapshots").at("snapshots");
  print_list(snapshots, output);
  output.print_document({{"endpoint", instance.address()}, {"snapshots", snapshots}});
  return kExitSuccess;
}

int show(ControlClient& instance, const SnapshotFlags& flags, const CommandOutput& output) {
  const auto snapshot = instance.request("GET", resource_of(flags.name));
  print_list(nlohmann::json::array({snapshot}), output);
  output.print_document({{"endpoint", instance.address()}, {"snapshot", snapshot}});
  return kExitSuccess;
}

}  // namespace

int run_snapshot(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable snapshot take|restore|list|show|delete [NAME]\n"
      "Manages snapshots of all accounts of a running rocktable, while it serves requests.",
      "rocktable snapshot");
  SnapshotFlags flags;
  CommandOutput output;
  add_control_options(app, flags.instance);
  list_inherited_options(app);
  app.require_subcommand(1);
  app.fallthrough();  // options of the instance may come before or after the subcommand
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(control_target_help());
  const auto add = [&](const char* action, const char* text, bool has_name = true) {
    auto* const command = app.add_subcommand(action, text);
    if (has_name) command->add_option("NAME", flags.name, "The snapshot's name")->type_name("")->required();
    output.add_flag(*command);
    return command;
  };
  auto* const take_command = add("take", "Take a snapshot with this name");
  take_command->add_flag("--replace", flags.replace, "Replace an existing snapshot");
  auto* const restore_command = add("restore", "Restore all data; keeps the snapshot");
  flags.confirmation.add_flag(*restore_command);
  auto* const delete_command = add("delete", "Delete a snapshot");
  auto* const list_command = add("list", "Show all snapshots", false);
  add("show", "Show a snapshot");
  return run_command(app, argc, argv, output, [&] {
    if (!list_command->parsed() && flags.name.empty()) throw UsageError("NAME must not be empty");
    if (restore_command->parsed()) flags.confirmation.read_variable();
    ControlClient instance(flags.instance);
    if (take_command->parsed()) return take(instance, flags, output);
    if (restore_command->parsed()) return restore(instance, flags, output);
    if (delete_command->parsed()) return remove(instance, flags, output);
    if (list_command->parsed()) return list(instance, output);
    return show(instance, flags, output);
  });
}

}  // namespace rocktable
