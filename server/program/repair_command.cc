#include "server/program/repair_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "odata/protocol/development_account.h"
#include "server/program/start/serve.h"
#include "storage/rocksdb/repair/repair.h"

namespace rocktable {
namespace {

constexpr int kExitOlder = 6;  // something may be older than it was
constexpr std::size_t kMaxShown = 20;

int repair(const std::string& location, const CommandOutput& output) {
  const RepairReport report = repair_store(store_folder(location), kDevelopmentAccount);
  const std::string kept =
      counted(report.tables, "table", "tables") + ", " + counted(report.entities, "entity", "entities");
  const std::string backup = report.was_whole ? "" : report.backup.string();
  output.print_document(
      {{"whole", report.was_whole},
       {"tables", report.tables},
       {"entities", report.entities},
       {"lost", report.lost},
       {"incomplete", report.incomplete.empty() ? nlohmann::json() : nlohmann::json(report.incomplete)},
       {"older", report.older},
       {"olderCount", report.older_count},
       {"olderUnnamed", report.older_unnamed},
       {"backup", backup.empty() ? nlohmann::json() : nlohmann::json(backup)}});
  if (!report.incomplete.empty()) output.print_line("rocktable: " + report.incomplete);
  const int code = report.older_count > 0 || !report.older_unnamed.empty() ? kExitOlder : kExitSuccess;
  if (report.was_whole) {
    for (const auto& sentence : report.older_unnamed) output.print_line("rocktable: " + sentence);
    output.print_line("rocktable: the store is " + std::string(code == kExitSuccess ? "" : "otherwise ") +
                      "undamaged: " + kept);
    return code;
  }
  output.print_line("rocktable: repaired; kept: " + kept);
  for (const auto& sentence : report.lost) output.print_line("rocktable: lost: " + sentence);
  for (std::size_t i = 0; i < std::min(report.older.size(), kMaxShown); ++i)
    output.print_line("rocktable: may be older than it was, or was deleted: " + report.older[i]);
  if (report.older_count > kMaxShown)
    output.print_line("rocktable: may be older than it was, or was deleted: " +
                      std::to_string(report.older_count - kMaxShown) + " more (--json names them)");
  for (const auto& sentence : report.older_unnamed) output.print_line("rocktable: " + sentence);
  output.print_line("rocktable: the original store is in " + backup);
  return code;
}

}  // namespace

int run_repair(int argc, const char* const* argv) {
  CLI::App app("Save the undamaged data of a damaged store in DIR. Stop its server first.", "rocktable repair");
  std::string location;
  app.add_option("DIR", location, "The folder of --location; the store is DIR/__rocktable__")
      ->type_name("")
      ->required();
  CommandOutput output;
  output.add_flag(app);
  app.footer(
      "Ends with 6 if entities, tables or settings may be older than they were: a damaged file may have had "
      "newer "
      "versions of them.");
  return run_command(app, argc, argv, output, [&] { return repair(location, output); });
}

}  // namespace rocktable
