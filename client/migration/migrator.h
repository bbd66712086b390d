// Applies migrations to an account, each once: from files, or defined in code:
//
//   Migrator migrator("UseDevelopmentStorage=true");
//   migrator.create_migration([](MigratorSyntax& _) { _.create_table("table1"); }, 1, "1.1", "My first one");
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/migration/history.h"
#include "client/migration/runner_lock.h"
#include "client/migration/step_runner.h"

namespace rocktable::migration {

// Builds the steps of a migration in code. The names follow the library AzureTableStorageMigrator.
class MigratorSyntax {
 public:
  MigratorSyntax& create_table(std::string table);
  MigratorSyntax& delete_table(std::string table);
  MigratorSyntax& clear(std::string table);
  MigratorSyntax& copy_table(std::string from, std::string to);
  MigratorSyntax& rename_table(std::string from, std::string to, bool delete_old = false);
  MigratorSyntax& insert(std::string table, Entity entity, bool create_table = false);
  MigratorSyntax& insert_if_absent(std::string table, Entity entity);
  MigratorSyntax& upsert(std::string table, Entity entity);
  MigratorSyntax& merge(std::string table, Entity entity);
  MigratorSyntax& remove(std::string table, std::string partition_key);
  MigratorSyntax& remove(std::string table, std::string partition_key, std::string row_key);
  MigratorSyntax& remove_where(std::string table, std::string filter);
  MigratorSyntax& change_property(std::string table, PropertyChange change,
                                  std::optional<std::string> partition_key = std::nullopt);
  // Templates as in key_template.h. Throws KeyTemplateError.
  MigratorSyntax& rekey(std::string table, EntitySelection which,
                        std::optional<std::string_view> partition_key,
                        std::optional<std::string_view> row_key, bool keep_old = false);

  const std::vector<Step>& steps() const { return steps_; }

 private:
  MigratorSyntax& add(Step step);
  MigratorSyntax& write(WriteMode mode, std::string table, Entity entity, bool if_absent, bool create_table);

  std::vector<Step> steps_;
};

// Callbacks that report progress. Each may be empty.
struct MigratorListener {
  std::function<void(const std::string&)> on_message;               // a message, such as a retry
  std::function<void(const Migration&, std::size_t step)> on_step;  // `step` counts from 0
  std::function<void(const Migration&)> on_applied;                 // the migration is complete
  std::function<void(const std::string& what, std::uint64_t entities)>
      on_entities;  // entities so far in the step
};

struct MigratorOptions {
  HttpOptions http;
  RunnerLockOptions lock;
  MigratorListener listener;
};

enum class MigrationState { Waiting, Begun, Applied, Edited };

std::string_view to_string(MigrationState state);

struct MigrationStatus {
  std::int64_t id = 0;
  MigrationState state = MigrationState::Waiting;
  std::string version, description;
  std::string source;             // empty: applied, but missing from the given migrations
  std::optional<DateTime> ended;  // when it was applied, if known
  int step = 0;                   // of a begun migration: its first unfinished step, from 0
};

// All functions throw std::runtime_error with a sentence.
class Migrator {
 public:
  explicit Migrator(std::string_view connection_string, MigratorOptions options = {});
  Migrator(TableEndpoint endpoint, MigratorOptions options);

  // Applies the migration unless it is applied already; resumes it if it was interrupted. Returns whether
  // there was anything to do.
  bool create_migration(const std::function<void(MigratorSyntax&)>& syntax, std::int64_t id,
                        std::string version, std::string description);

  // Applies all waiting migrations in the order of their ids, up to the id `to`. Fails before any change if
  // the content of an applied or begun migration has changed. Returns how many were applied.
  std::size_t up(const std::vector<Migration>& migrations, std::optional<std::int64_t> to = std::nullopt);

  // The status of each migration, and of applied migrations that are not in `migrations`, sorted by id.
  std::vector<MigrationStatus> status(const std::vector<Migration>& migrations);

  // Counts what the step would touch in the tables as they are now.
  StepCost cost(const Step& step);

 private:
  bool has_work(const std::vector<Migration>& migrations, std::optional<std::int64_t> to);
  void check_unedited(const std::vector<Migration>& migrations);
  void apply(const Migration& migration, History& history);
  std::unique_ptr<MigrationClient> connect() const;

  const TableEndpoint endpoint_;
  const MigratorOptions options_;
  std::unique_ptr<MigrationClient> client_;
};

}  // namespace rocktable::migration
