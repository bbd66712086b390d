#include "server/program/repair_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "client/commands/command_line.h"
#include "client/commands/command_output.h"
#include "odata/protocol/development_account.h"
#include "odata/text.h"
#include "server/program/serve.h"
#include "storage/rocksdb/repair/repair.h"

namespace rocktable {
namespace {

void repair(const std::string& location, const CommandOutput& output) {
  const RepairReport report = repair_store(store_folder(location), kDevelopmentAccount);
  const std::string kept =
      counted(report.tables, "table", "tables") + ", " + counted(report.entities, "entity", "entities");
  const std::string backup = report.was_whole ? "" : report.backup.string();
  output.print_document({{"whole", report.was_whole},
                         {"tables", report.tables},
                         {"entities", report.entities},
                         {"lost", report.lost},
                         {"backup", backup.empty() ? nlohmann::json() : nlohmann::json(backup)}});
  if (report.was_whole) return output.print_line("rocktable: the store is undamaged: " + kept);
  output.print_line("rocktable: repaired; kept: " + kept);
  for (const auto& sentence : report.lost) output.print_line("rocktable: lost: " + sentence);
  output.print_line("rocktable: the original store is in " + backup);
}

}  // namespace

int run_repair(int argc, const char* const* argv) {
  CLI::App app("Save the undamaged data of a damaged store in DIR. Stop its server first.",
               "rocktable repair");
  std::string location;
  app.add_option("DIR", location, "The folder of --location; the store is DIR/__rocktable__")
      ->type_name("")
      ->required();
  CommandOutput output;
  output.add_flag(app);
  return run_command(app, argc, argv, output, [&] {
    repair(location, output);
    return kExitSuccess;
  });
}

}  // namespace rocktable
