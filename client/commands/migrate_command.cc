#include "client/commands/migrate_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "client/account_argument.h"
#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/migration/abort/abort.h"
#include "client/migration/migration_file.h"
#include "client/migration/migration_schema.h"
#include "client/migration/migrator.h"
#include "client/migration/preview/preview.h"
#include "client/terminal/interruption.h"
#include "client/terminal/progress.h"

namespace rocktable::migration {
namespace {

constexpr int kMaxSeconds = 86'400;

struct MigrateFlags {
  std::string folder, name, account, authority_file;
  std::optional<std::int64_t> to;
  int wait = 60;
  bool dry_run = false;
};

std::string title(std::int64_t id, const std::string& version, const std::string& description) {
  std::string out = std::to_string(id);
  if (!version.empty()) out += "  " + version;
  if (!description.empty()) out += "  " + description;
  return out;
}

MigratorOptions options_of(const MigrateFlags& flags, Progress& progress) {
  MigratorOptions out;
  out.http.certificate_authority_file = flags.authority_file;
  out.lock.max_wait = std::chrono::seconds(flags.wait);
  out.listener.on_message = [&progress](const std::string& sentence) { progress.print_line(sentence); };
  out.listener.on_step = [&progress](const Migration& migration, std::size_t step) {
    if (step == 0) progress.print_line("applying " + title(migration.id, migration.version, migration.description));
    progress.print_line("  " + std::to_string(step + 1) + "/" + std::to_string(migration.steps.size()) + "  " +
                        summary(migration.steps[step]));
  };
  out.listener.on_entities = [&progress](const std::string& what, std::uint64_t entities) {
    constexpr std::uint64_t kLook = 256;  // between two progress reports
    if (entities % kLook == 0) progress.show(what, entities, std::nullopt);
  };
  return out;
}

Migrator migrator_of(const MigrateFlags& flags, MigratorOptions options) {
  return Migrator(resolve_account(flags.account, "--connectionString"), std::move(options));
}

nlohmann::json text_or_null(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

// The members that all documents have for a migration.
template <class One>
nlohmann::json document_of(const One& one) {
  return {{"id", one.id}, {"version", one.version}, {"description", one.description}};
}

// A document for each property that is missing.
nlohmann::json documents_of(const MissingEntities& missing) {
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [property, group] : missing.groups()) {
    nlohmann::json keys = nlohmann::json::array();
    for (const auto& key : group.first) keys.push_back({key.partition_key, key.row_key});
    out.push_back({{"property", property}, {"entities", group.count}, {"keys", keys}});
  }
  return out;
}

int up(const MigrateFlags& flags, const CommandOutput& output) {
  constexpr const char* kResume = "; run the same command again to resume";
  constexpr const char* kCorrect = ", after a correction of the data or the file if they are the cause";
  const std::string undo_hint = "; rocktable migrate abort " + flags.folder + " undoes what can be undone";
  Progress progress(std::cerr, is_terminal());
  auto options = options_of(flags, progress);
  bool begun = false;
  nlohmann::json applied = nlohmann::json::array();
  options.listener.on_step = [&, report_step = options.listener.on_step](const Migration& migration, std::size_t step) {
    begun = true;
    report_step(migration, step);
  };
  nlohmann::json skipped = nlohmann::json::array();
  options.listener.on_skipped = [&](const Migration& migration, std::size_t step, const MissingEntities& missing) {
    progress.print_line("  skipped: " + missing.sentence());
    for (const auto& one : documents_of(missing)) {
      skipped.push_back({{"id", migration.id}, {"step", step + 1}});
      skipped.back().update(one);
    }
  };
  options.listener.on_applied = [&](const Migration& migration) { applied.push_back(document_of(migration)); };
  auto migrator = migrator_of(flags, std::move(options));
  const auto migrations = read_migrations(flags.folder);
  const InterruptionNotice notice(std::string("interrupted") + kResume);
  try {
    const std::size_t done = migrator.up(migrations, flags.to);
    output.print_line(done == 0 ? "nothing to do" : counted(done, "migration", "migrations") + " applied");
  } catch (const std::exception& error) {
    if (begun) throw std::runtime_error(std::string(error.what()) + kResume + kCorrect + undo_hint);
    throw;
  }
  output.print_document({{"applied", applied}, {"skipped", skipped}});
  return kExitSuccess;
}

nlohmann::json document_of_step(const StepPreview& one) {
  return {{"step", one.summary},
          {"entities", one.entities},
          {"transactions", one.transactions},
          {"skipped", documents_of(one.skipped)},
          {"fails", text_or_null(one.failure)},
          {"notSimulated", text_or_null(one.not_simulated)}};
}

void print_step(const StepPreview& one, const CommandOutput& output) {
  if (!one.failure.empty()) {
    output.print_line("  " + one.summary + ": would fail: " + one.failure);
    return;
  }
  if (one.entities == 0 && !one.not_simulated.empty()) {
    output.print_line("  " + one.summary + ": not simulated: " + one.not_simulated);
    return;
  }
  output.print_line("  " + one.summary + ": " + counted(one.entities, "entity", "entities") + ", " +
                    counted(one.transactions, "transaction", "transactions"));
  if (!one.skipped.empty()) output.print_line("    skipped: " + one.skipped.sentence());
  if (!one.not_simulated.empty()) output.print_line("    not simulated: " + one.not_simulated);
}

// Reports what would be done, and what would fail. Writes nothing.
int dry_run(const MigrateFlags& flags, const CommandOutput& output) {
  Progress progress(std::cerr, is_terminal());
  auto migrator = migrator_of(flags, options_of(flags, progress));
  const auto migrations = read_migrations(flags.folder);
  migrator.check_startable(migrations);
  std::vector<MigrationStatus> waiting;
  for (const auto& status : migrator.status(migrations))
    if (status.state != MigrationState::Applied && !status.source.empty() && (!flags.to || status.id <= *flags.to))
      waiting.push_back(status);
  PreviewOptions options;
  options.http.certificate_authority_file = flags.authority_file;
  options.on_message = [&progress](const std::string& sentence) { progress.print_line(sentence); };
  nlohmann::json list = nlohmann::json::array();
  std::string failure;
  for (const auto& one :
       preview_migrations(resolve_account(flags.account, "--connectionString"), options, migrations, waiting)) {
    output.print_line(title(one.migration->id, one.migration->version, one.migration->description));
    list.push_back(document_of(*one.migration));
    auto& steps = list.back()["steps"] = nlohmann::json::array();
    for (const auto& step : one.steps) {
      print_step(step, output);
      steps.push_back(document_of_step(step));
      if (!step.failure.empty())
        failure = "migration " + std::to_string(one.migration->id) + " (" + one.migration->source +
                  ") would fail in step " + std::to_string(step.step + 1) + " of " +
                  std::to_string(one.migration->steps.size()) + ", nothing was written";
    }
  }
  output.print_document({{"waiting", list}, {"fails", !failure.empty()}});
  if (!failure.empty()) {
    if (!output.is_json()) progress.print_line(failure);
    return kExitFailure;
  }
  output.print_line(list.empty()
                        ? "nothing to do"
                        : counted(list.size(), "migration waiting", "migrations waiting") + ", nothing was written");
  return kExitSuccess;
}

std::string time_of(const MigrationStatus& status) {
  return status.ended ? to_string(*status.ended).substr(0, 19) + "Z" : "";
}

std::string state_of(const MigrationStatus& status) {
  std::string out(to_string(status.state));
  if (status.state == MigrationState::Begun) out += " at step " + std::to_string(status.step + 1);
  if (status.state == MigrationState::Begun && status.is_edited) out += ", and edited so that it can continue";
  if (status.state == MigrationState::Edited) out += ": " + status.why;
  if (status.state == MigrationState::Applied && status.ended) out += " " + time_of(status);
  if (status.source.empty()) out += ", file is missing";
  return out;
}

nlohmann::json document_of_status(const MigrationStatus& one) {
  nlohmann::json out = document_of(one), step;
  if (one.state == MigrationState::Begun || (one.state == MigrationState::Edited && one.is_edited)) step = one.step + 1;
  out["state"] = to_string(one.state);
  out["edited"] = one.is_edited || one.state == MigrationState::Edited;
  out["why"] = text_or_null(one.why);
  out["file"] = text_or_null(one.source);
  out["ended"] = text_or_null(one.state == MigrationState::Applied ? time_of(one) : "");
  out["step"] = step;
  return out;
}

std::vector<MigrationStatus> statuses(const MigrateFlags& flags, Progress& progress) {
  return migrator_of(flags, options_of(flags, progress)).status(read_migrations(flags.folder));
}

int status(const MigrateFlags& flags, const CommandOutput& output) {
  Progress progress(std::cerr, false);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& one : statuses(flags, progress)) {
    output.print_line(title(one.id, one.version, one.description) + ": " + state_of(one));
    list.push_back(document_of_status(one));
  }
  output.print_document({{"migrations", list}});
  return kExitSuccess;
}

int verify(const MigrateFlags& flags, const CommandOutput& output) {
  Progress progress(std::cerr, false);
  std::size_t wrong = 0;
  nlohmann::json list = nlohmann::json::array();
  for (const auto& one : statuses(flags, progress)) {
    list.push_back(document_of_status(one));
    if (one.state == MigrationState::Applied && !one.source.empty()) continue;
    ++wrong;
    if (!output.is_json())
      progress.print_line("migration " + std::to_string(one.id) + " failed verification: " + state_of(one));
  }
  output.print_document({{"verified", wrong == 0}, {"migrations", list}});
  if (wrong > 0) return kExitFailure;
  output.print_line(counted(list.size(), "migration", "migrations") + ", all applied");
  return kExitSuccess;
}

int abort_begun(const MigrateFlags& flags, const CommandOutput& output) {
  Progress progress(std::cerr, is_terminal());
  AbortOptions options;
  options.http.certificate_authority_file = flags.authority_file;
  options.lock.max_wait = std::chrono::seconds(flags.wait);
  options.dry_run = flags.dry_run;
  options.on_message = [&progress](const std::string& sentence) { progress.print_line(sentence); };
  const auto account = resolve_account(flags.account, "--connectionString");
  const auto migrations = read_migrations(flags.folder);
  const InterruptionNotice notice("interrupted; run the same command again to resume");
  nlohmann::json aborted = nlohmann::json::array();
  for (const auto& one : abort_migrations(account, options, migrations)) {
    output.print_line(title(one.id, one.version, one.description) +
                      (flags.dry_run ? ": would be aborted" : ": aborted"));
    for (const auto& sentence : one.undone) output.print_line("  " + sentence);
    for (const auto& sentence : one.stays) output.print_line("  stays: " + sentence);
    aborted.push_back(document_of(one));
    aborted.back()["undone"] = one.undone;
    aborted.back()["stays"] = one.stays;
  }
  if (aborted.empty()) output.print_line("no migration is begun");
  if (flags.dry_run && !aborted.empty()) output.print_line("nothing was written");
  output.print_document({{"dryRun", flags.dry_run}, {"aborted", aborted}});
  return kExitSuccess;
}

int create_file(const MigrateFlags& flags, const CommandOutput& output) {
  Progress progress(std::cerr, false);
  const auto file = write_new_migration(flags.folder, flags.name);
  const auto schema = std::filesystem::path(flags.folder) / kSchemaFile;
  const SchemaState state = write_schema(flags.folder);
  if (state == SchemaState::Changed)
    progress.print_line(schema.string() + " was edited and is kept; delete it to get the schema of this version");
  output.print_line(file.string());
  output.print_document(
      {{"file", file.string()}, {"schema", schema.string()}, {"schemaChanged", state == SchemaState::Changed}});
  return kExitSuccess;
}

}  // namespace

int run_migrate(int argc, const char* const* argv) {
  CLI::App app("Applies the migration files in DIR to the tables of an account, each once.", "rocktable migrate");
  MigrateFlags flags;
  app.require_subcommand(1);
  app.get_formatter()->column_width(kHelpColumn);
  constexpr const char* kAboutExitCodes = "\nExit codes: 0 success; 1 failure; 2 wrong usage. See docs/migrations.md.";
  app.footer(std::string("\n") + kAboutConnections + kAboutExitCodes);
  CommandOutput output;
  const auto command = [&](const char* name, const char* text) {
    CLI::App* const added = app.add_subcommand(name, text);
    output.add_flag(*added);
    return added;
  };
  const auto add_folder = [&](CLI::App* to) {
    to->add_option("DIR", flags.folder, "Folder with the migration files")->type_name("")->required();
  };
  const auto add_account = [&](CLI::App* to) {
    to->add_option("--connectionString", flags.account, "The account to migrate")->type_name("CONN");
    to->add_option("--caFile", flags.authority_file, "Additional trusted certificates")
        ->type_name("FILE")
        ->envname("ROCKTABLE_CA_FILE");
    add_folder(to);
  };
  const auto add_wait = [&](CLI::App* to) {
    to->add_option("--wait", flags.wait, "How long to wait for another runner [60]")
        ->type_name("SECONDS")
        ->check(CLI::Range(0, kMaxSeconds).description(""));
  };
  CLI::App* const up_command = command("up", "Apply all waiting migrations");
  up_command->add_option("--to", flags.to, "Stop after this id")
      ->type_name("ID")
      ->check(CLI::Range(1, INT32_MAX).description(""));
  up_command->add_flag("--dryRun", flags.dry_run, "Read and count, write nothing");
  add_wait(up_command);
  add_account(up_command);
  CLI::App* const abort_command = command("abort", "Undo begun migrations, as far as possible");
  abort_command->add_flag("--dryRun", flags.dry_run, "Read and report, write nothing");
  add_wait(abort_command);
  add_account(abort_command);
  CLI::App* const status_command = command("status", "Show which migrations are applied");
  add_account(status_command);
  CLI::App* const verify_command = command("verify", "Fail unless all are applied and unedited");
  add_account(verify_command);
  CLI::App* const new_command = command("new", "Create the next migration file");
  new_command->footer(kAboutExitCodes);  // no account needed
  new_command->add_option("NAME", flags.name, "Part of the file name: create_customers")->type_name("")->required();
  add_folder(new_command);
  return run_command(app, argc, argv, output, [&] {
    if (up_command->parsed()) return flags.dry_run ? dry_run(flags, output) : up(flags, output);
    if (abort_command->parsed()) return abort_begun(flags, output);
    if (status_command->parsed()) return status(flags, output);
    if (verify_command->parsed()) return verify(flags, output);
    return create_file(flags, output);
  });
}

}  // namespace rocktable::migration
