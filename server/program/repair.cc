#include "server/program/repair.h"

#include <string>

#include "client/command_line.h"
#include "server/access/accounts.h"
#include "server/program/serve.h"
#include "storage/repair.h"

namespace rocktable {
namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void repair(const std::string& location) {
  const RepairReport report = repair_store(store_in(location), kDevelopmentAccount);
  const std::string kept =
      counted(report.tables, "table", "tables") + ", " + counted(report.entities, "entity", "entities");
  if (report.was_whole) {
    say("rocktable: the store is whole: " + kept);
    return;
  }
  say("rocktable: repaired; kept: " + kept);
  for (const auto& sentence : report.lost) say("rocktable: lost: " + sentence);
  say("rocktable: the store as it was is in " + report.backup.string());
}

}  // namespace

int run_repair(int argc, const char* const* argv) {
  CLI::App app("Save what is whole of the damaged store in DIR, while no server runs on it.",
               "rocktable repair");
  std::string location;
  app.add_option("DIR", location, "As --location: the store is the folder __rocktable__ in it")
      ->type_name("")
      ->required();
  if (const auto ending = parse(app, argc, argv)) return ending->tell();
  repair(location);
  return kDone;
}

}  // namespace rocktable
