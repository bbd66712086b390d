#include "server/program/store_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "storage/postgres/database/statements.h"

namespace rocktable {

int run_store(int argc, const char* const* argv) {
  CLI::App app("The store in a database: rocktable --store postgresql://HOST/DATABASE.", "rocktable store");
  app.require_subcommand(1);
  CommandOutput output;
  auto* const schema = app.add_subcommand("schema", "Print the SQL that makes the tables; a start does it by itself");
  bool is_distributed = false;
  schema->add_flag("--distributed", is_distributed,
                   "For Citus: spread the entities over its nodes. Run it at the coordinator");
  output.add_flag(*schema);
  return run_command(app, argc, argv, output, [&] {
    const std::string sql = schema_sql(is_distributed ? PgLayout::Distributed : PgLayout::Plain);
    output.print_document({{"sql", sql}});
    for (std::size_t begin = 0, end = 0; (end = sql.find('\n', begin)) != sql.npos; begin = end + 1)
      output.print_line(sql.substr(begin, end - begin));
    return kExitSuccess;
  });
}

}  // namespace rocktable
