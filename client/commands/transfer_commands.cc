#include "client/commands/transfer_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "client/account_argument.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/terminal/interruption.h"
#include "client/transfer/transfer.h"
#include "client/usage_error.h"
#include "odata/files/entity_format.h"

namespace rocktable {
namespace {

constexpr int kMaxConnections = 64;

constexpr const char* kAboutFiles =
    "FILE is TABLE.ndjson or TABLE.csv; DIR is a folder of such files;\n"
    "- is standard input or output. Files do not contain timestamps.\n";

constexpr const char* kAboutExitCodes =
    "To resume an interrupted transfer, run the same command again.\n"
    "Exit codes: 0 success; 1 failure, with what was done; 2 wrong usage.";

// One of the three commands: which ends are accounts, and its description.
struct TransferCommand {
  const char* name;
  const char* description;
  bool from_account, to_account;

  // If only one end is an account, its flag has the same name as in other commands, and its former name.
  const char* from_flag() const { return from_account && !to_account ? "--connectionString,--from" : "--from"; }
  const char* to_flag() const { return to_account && !from_account ? "--connectionString,--to" : "--to"; }
  // The flag for an account, for error messages.
  std::string flag_of(const char* end) const { return from_account && to_account ? end : "--connectionString"; }
};

constexpr TransferCommand kExport = {
    "export",
    "rocktable export [--connectionString CONN] --to DIR|FILE|- (--table NAME... | --all) [OPTIONS]\n"
    "Writes the entities of tables to files.",
    true, false};
constexpr TransferCommand kImport = {"import",
                                     "rocktable import [--connectionString CONN] --from DIR|FILE|- [OPTIONS]\n"
                                     "Writes the entities of files to tables. Creates missing tables.",
                                     false, true};
constexpr TransferCommand kCopy = {"copy",
                                   "rocktable copy [--from CONN] [--to CONN] (--table NAME... | --all) [OPTIONS]\n"
                                   "Copies the entities of tables from one account to another.",
                                   true, true};

// The flags as given.
struct TransferFlags {
  std::string from, to, format, mode = "replace", authority_file;
  bool all = false;
  TransferOptions options;
};

// --- The command line --------------------------------------------------------------------------------------

void add_flags(CLI::App& app, const TransferCommand& command, TransferFlags& flags) {
  TransferOptions& options = flags.options;
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    return app.add_option(name, value, text)->type_name(type);
  };
  const auto* from = command.from_account ? "CONN" : "DIR|FILE|-";
  const auto* to = command.to_account ? "CONN" : "DIR|FILE|-";
  add(command.from_flag(), flags.from, from, "Source of the entities")->required(!command.from_account);
  add(command.to_flag(), flags.to, to, "Target of the entities")->required(!command.to_account);
  add("--table", options.tables, "NAME", "Only this table; may be repeated")->allow_extra_args(false);
  if (command.from_account) {
    app.add_flag("--all", flags.all, "All tables");
    add("--filter", options.filter, "FILTER", "Only entities that match this $filter");
  }
  if (command.from_account != command.to_account)
    add("--format", flags.format, "FORMAT", "Default: by file name, else ndjson")
        ->check(CLI::IsMember({"ndjson", "csv"}));
  if (command.to_account) {
    add("--mode", flags.mode, "MODE", "insert, replace (insert or replace; the default) or merge")
        ->check(CLI::IsMember({"insert", "replace", "merge"}));
    add("--connections", options.connections, "N", "Parallel connections for writing (8)")
        ->check(CLI::Range(1, kMaxConnections));
  }
  if (!command.to_account)
    app.add_flag("--escapeFormulas", options.escape_formulas,
                 "In CSV, escape strings that look like formulas; import reverts it");
  app.add_flag("--restart", options.restart, "Start over, ignoring an earlier attempt");
  add("--state", options.state_file, "FILE",
      command.from_account && command.to_account ? "Progress file (default: none)"
                                                 : "Progress file (default: next to the data)");
  app.add_flag("--dryRun", options.dry_run, "Read and count, write nothing");
  app.add_flag("--verify", options.verify, "Read both sides again and compare them");
  add("--caFile", flags.authority_file, "FILE", "Additional trusted certificates")->envname("ROCKTABLE_CA_FILE");
}

void check(const TransferCommand& command, const TransferFlags& flags, bool is_json) {
  const TransferOptions& options = flags.options;
  if (flags.all && !options.tables.empty()) throw UsageError("--all and --table exclude each other");
  const bool streams = flags.from == "-" || flags.to == "-";
  if (options.verify && (streams || options.dry_run))
    throw UsageError("--verify excludes --dryRun, standard input and standard output");
  if (is_json && flags.to == "-") throw UsageError("--json and --to - both write to standard output");
  const bool is_csv = flags.format == "csv" || (flags.format.empty() && format_of_file(flags.to) == EntityFormat::Csv);
  if (options.escape_formulas && !is_csv) throw UsageError("--escapeFormulas requires CSV (--format csv)");
  if (flags.from == "-" && options.tables.size() != 1)
    throw UsageError("standard input has no table name: pass --table once");
  if (flags.from == "-" && !options.state_file.empty())
    throw UsageError("--state excludes standard input, which cannot resume");
  if (command.from_account && command.to_account && flags.from.empty() && flags.to.empty())
    throw UsageError("--from or --to is required: the environment can provide only one account");
}

WriteMode mode_of(const std::string& text) {
  return text == "insert" ? WriteMode::Insert : text == "merge" ? WriteMode::Merge : WriteMode::Replace;
}

void read_ends(const TransferCommand& command, TransferFlags& flags) {
  TransferOptions& options = flags.options;
  if (command.from_account) {
    options.from.account = resolve_account(flags.from, command.flag_of("--from"));
    const std::string& only = options.from.account->table;
    if (options.tables.empty() && !flags.all && !only.empty()) options.tables = {only};
  } else {
    options.from.path = flags.from;
  }
  if (command.to_account) {
    options.to.account = resolve_account(flags.to, command.flag_of("--to"));
  } else {
    options.to.path = flags.to;
  }
  if (command.from_account && command.to_account && options.from.account->address() == options.to.account->address())
    throw UsageError("--from and --to are the same account, " + options.to.account->address());
}

// The message after Ctrl-C.
std::string interruption_message(const TransferOptions& options) {
  if (!state_file_of(options).empty()) return "interrupted; run the same command again to resume";
  return options.dry_run ? "interrupted; nothing was written"
                         : "interrupted; the same command starts over (with --state FILE it would resume)";
}

nlohmann::json document_of(const TransferOptions& options, const TransferSummary& summary) {
  nlohmann::json tables = nlohmann::json::array();
  for (const auto& table : summary.tables) tables.push_back({{"table", table.name}, {"entities", table.entities}});
  return {{"command", options.command},   {"from", name_of(options.from)}, {"to", name_of(options.to)},
          {"dryRun", options.dry_run},    {"entities", summary.entities},  {"tables", std::move(tables)},
          {"verified", summary.verified}, {"seconds", summary.seconds}};
}

int transfer(const TransferCommand& command, TransferFlags& flags, const CommandOutput& output) {
  TransferOptions& options = flags.options;
  options.command = command.name;
  options.mode = mode_of(flags.mode);
  if (!flags.format.empty()) options.format = flags.format == "csv" ? EntityFormat::Csv : EntityFormat::Ndjson;
  options.http.certificate_authority_file = flags.authority_file;
  read_ends(command, flags);
  if (command.from_account && options.tables.empty() && !flags.all) throw UsageError("pass --table NAME or --all");
  const InterruptionNotice notice(interruption_message(options));
  Progress progress(std::cerr, is_terminal());
  output.print_document(document_of(options, run_transfer(options, progress)));
  return kExitSuccess;
}

int run(const TransferCommand& command, int argc, const char* const* argv) {
  CLI::App app(command.description, std::string("rocktable ") + command.name);
  const bool has_files = !command.from_account || !command.to_account;
  app.footer(std::string(kAboutConnections) + (has_files ? kAboutFiles : "") + kAboutExitCodes);
  app.get_formatter()->column_width(kHelpColumn);
  TransferFlags flags;
  CommandOutput output;
  add_flags(app, command, flags);
  output.add_flag(app);
  return run_command(app, argc, argv, output, [&] {
    check(command, flags, output.is_json());
    return transfer(command, flags, output);
  });
}

}  // namespace

int run_export(int argc, const char* const* argv) { return run(kExport, argc, argv); }
int run_import(int argc, const char* const* argv) { return run(kImport, argc, argv); }
int run_copy(int argc, const char* const* argv) { return run(kCopy, argc, argv); }

}  // namespace rocktable
