#include "client/snapshot_command.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "client/command_line.h"
#include "client/instance.h"
#include "odata/uri.h"

namespace rocktable {
namespace {

// One line for each.
void print_list(const nlohmann::json& answer) {
  std::size_t widest = 0;
  for (const auto& snapshot : answer.at("snapshots"))
    widest = std::max(widest, snapshot.at("name").get<std::string>().size());
  for (const auto& snapshot : answer.at("snapshots")) {
    const auto tables = snapshot.at("tables").get<std::uint64_t>();
    std::string name = snapshot.at("name").get<std::string>();
    name.resize(std::max(widest, name.size()), ' ');
    say(name + "  " + snapshot.at("taken").get<std::string>() + "  " + std::to_string(tables) +
        (tables == 1 ? " table  " : " tables  ") + std::to_string(snapshot.at("bytes").get<std::uint64_t>()) +
        " bytes");
  }
}

}  // namespace

int run_snapshot(int argc, const char* const* argv) {
  CLI::App app(
      "rocktable snapshot take|restore|list|delete [NAME]\n"
      "Snapshots of all that a running rocktable holds: taken and restored while it serves.",
      "rocktable snapshot");
  InstanceOptions instance;
  std::string name;
  bool replace = false, json = false;
  add_instance_options(app, instance);
  app.require_subcommand(1);
  app.fallthrough();  // the options of the instance stand before or behind
  const auto add = [&](const char* action, const char* summary) {
    auto* const command = app.add_subcommand(action, summary);
    command->add_option("NAME", name, "The snapshot's name")->required()->option_text(" ");
    return command;
  };
  auto* const take = add("take", "Take a snapshot of this name");
  take->add_flag("--replace", replace, "In place of the one that has the name");
  auto* const restore = add("restore", "Make all as it was; the snapshot stays");
  auto* const remove = add("delete", "Delete a snapshot");
  auto* const list = app.add_subcommand("list", "Show all snapshots");
  list->add_flag("--json", json, "As JSON");
  if (const auto ending = parse(app, argc, argv)) return ending->tell();

  Instance running(instance);
  const std::string resource = "snapshots/" + percent_encode(name);
  if (take->parsed()) {
    running.ask("POST", resource + (replace ? "?replace=true" : ""));
    say("rocktable: took the snapshot " + name);
  } else if (restore->parsed()) {
    running.ask("POST", resource + "/restore");
    say("rocktable: restored the snapshot " + name);
  } else if (remove->parsed()) {
    running.ask("DELETE", resource);
    say("rocktable: deleted the snapshot " + name);
  } else {
    const auto answer = running.ask("GET", "snapshots");
    if (json) {
      std::cout << answer.dump(2, ' ', true) << '\n';
    } else {
      print_list(answer);
    }
  }
  return kDone;
}

}  // namespace rocktable
