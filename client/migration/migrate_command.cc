#include "client/migration/migrate_command.h"

#include <unistd.h>

#include <iostream>
#include <string>

#include "client/command_line.h"
#include "client/migration/migration_file.h"
#include "client/migration/migrator.h"
#include "client/named_account.h"
#include "client/progress.h"

namespace rocktable::migration {
namespace {

constexpr std::size_t kHelpColumn = 36;
constexpr int kMaxSeconds = 86'400;

struct MigrateFlags {
  std::string folder, name, account, authority_file;
  std::int64_t to = 0;
  int wait = 60;
  bool dry_run = false;
};

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return with_commas(count) + " " + (count == 1 ? one : many);
}

std::string title(std::int64_t id, const std::string& version, const std::string& description) {
  std::string out = std::to_string(id);
  if (!version.empty()) out += "  " + version;
  if (!description.empty()) out += "  " + description;
  return out;
}

MigratorOptions options_of(const MigrateFlags& flags, Progress& progress) {
  MigratorOptions out;
  out.http.certificate_authority_file = flags.authority_file;
  out.lock.patience = std::chrono::seconds(flags.wait);
  out.listener.tell = [&progress](const std::string& sentence) { progress.tell(sentence); };
  out.listener.begin_step = [&progress](const Migration& migration, std::size_t step) {
    if (step == 0) progress.tell("applies " + title(migration.id, migration.version, migration.description));
    progress.tell("  " + std::to_string(step + 1) + "/" + std::to_string(migration.steps.size()) + "  " +
                  summary(migration.steps[step]));
  };
  out.listener.moved = [&progress](const std::string& what, std::uint64_t entities) {
    constexpr std::uint64_t kLook = 256;  // from one look at the clock to the next
    if (entities % kLook == 0) progress.show(what, entities, std::nullopt);
  };
  return out;
}

Migrator migrator_of(const MigrateFlags& flags, Progress& progress) {
  return {named_account(flags.account, "--connectionString"), options_of(flags, progress)};
}

int up(const MigrateFlags& flags, bool has_to) {
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0);
  const auto migrations = read_migrations(flags.folder);
  auto migrator = migrator_of(flags, progress);
  const std::size_t done = migrator.up(migrations, has_to ? std::optional(flags.to) : std::nullopt);
  say(done == 0 ? "nothing to do" : counted(done, "migration", "migrations") + " applied");
  return kDone;
}

// What would be done, by the tables as they are: a step cannot be counted that works on what one before it makes.
int dry_run(const MigrateFlags& flags, bool has_to) {
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0);
  const auto migrations = read_migrations(flags.folder);
  auto migrator = migrator_of(flags, progress);
  std::size_t waiting = 0;
  for (const auto& status : migrator.status(migrations)) {
    if (status.state == MigrationState::Edited)
      throw std::runtime_error("migration " + std::to_string(status.id) + " (" + status.source +
                               ") was edited after it was applied or begun");
    if (status.state == MigrationState::Applied || (has_to && status.id > flags.to)) continue;
    ++waiting;
    say(title(status.id, status.version, status.description));
    for (const auto& migration : migrations) {
      if (migration.id != status.id) continue;
      for (auto i = static_cast<std::size_t>(status.step); i < migration.steps.size(); ++i) {
        const StepCost cost = migrator.cost(migration.steps[i]);
        say("  " + summary(migration.steps[i]) + ": " + counted(cost.entities, "entity", "entities") + ", " +
            counted(cost.transactions, "transaction", "transactions"));
      }
    }
  }
  say(waiting == 0 ? "nothing to do"
                   : counted(waiting, "migration waits", "migrations wait") + ", nothing was written");
  return kDone;
}

std::string state_of(const MigrationStatus& status) {
  std::string out(to_string(status.state));
  if (status.state == MigrationState::Begun) out += " at step " + std::to_string(status.step + 1);
  if (status.state == MigrationState::Applied && status.ended)
    out += " " + to_string(*status.ended).substr(0, 19) + "Z";
  if (status.source.empty()) out += ", without a file here";
  return out;
}

int status(const MigrateFlags& flags) {
  Progress progress(std::cerr, false);
  for (const auto& one : migrator_of(flags, progress).status(read_migrations(flags.folder)))
    say(title(one.id, one.version, one.description) + ": " + state_of(one));
  return kDone;
}

int verify(const MigrateFlags& flags) {
  Progress progress(std::cerr, false);
  std::size_t wrong = 0, all = 0;
  for (const auto& one : migrator_of(flags, progress).status(read_migrations(flags.folder))) {
    ++all;
    if (one.state == MigrationState::Applied && !one.source.empty()) continue;
    ++wrong;
    progress.tell("migration " + std::to_string(one.id) + " is not as it should be: " + state_of(one));
  }
  if (wrong > 0) return kFailed;
  say(counted(all, "migration", "migrations") + ", all applied");
  return kDone;
}

}  // namespace

int run_migrate(int argc, const char* const* argv) {
  CLI::App app("Applies migrations, files in DIR, to the tables of an account, each once.",
               "rocktable migrate");
  MigrateFlags flags;
  app.require_subcommand(1);
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(std::string("\n") + kAboutConnections +
             "\nExit codes: 0 done; 1 failed, with a sentence; 2 wrong usage. See docs/migrations.md.");
  const auto command = [&](const char* name, const char* text) { return app.add_subcommand(name, text); };
  const auto add_folder = [&](CLI::App* to) {
    to->add_option("DIR", flags.folder, "The folder of the files")->type_name("")->required();
  };
  const auto add_account = [&](CLI::App* to) {
    to->add_option("--connectionString", flags.account, "The account")->type_name("CONN");
    to->add_option("--caFile", flags.authority_file, "Trust these certificates, too (ROCKTABLE_CA_FILE)")
        ->type_name("FILE")
        ->envname("ROCKTABLE_CA_FILE");
    add_folder(to);
  };
  CLI::App* const up_command = command("up", "Apply those that wait");
  CLI::Option* const to = up_command->add_option("--to", flags.to, "Up to this id")
                              ->type_name("ID")
                              ->check(CLI::Range(1, INT32_MAX).description(""));
  up_command->add_flag("--dryRun", flags.dry_run, "Read and count, write nothing");
  up_command->add_option("--wait", flags.wait, "For another runner to end [60]")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, kMaxSeconds).description(""));
  add_account(up_command);
  CLI::App* const status_command = command("status", "Tell which are applied");
  add_account(status_command);
  CLI::App* const verify_command = command("verify", "Fail unless all are applied, as they are written");
  add_account(verify_command);
  CLI::App* const new_command = command("new", "Begin the next file");
  new_command->add_option("NAME", flags.name, "Its words: create_customers")->type_name("")->required();
  add_folder(new_command);
  if (const auto ending = parse(app, argc, argv)) return ending->tell();
  if (up_command->parsed())
    return flags.dry_run ? dry_run(flags, to->count() > 0) : up(flags, to->count() > 0);
  if (status_command->parsed()) return status(flags);
  if (verify_command->parsed()) return verify(flags);
  say(write_new_migration(flags.folder, flags.name).string());
  return kDone;
}

}  // namespace rocktable::migration
