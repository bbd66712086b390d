// Migrations of an account, each applied once: from files, or as code.
//
//   Migrator migrator("UseDevelopmentStorage=true");
//   migrator.create_migration([](MigratorSyntax& _) { _.create_table("table1"); }, 1, "1.1", "My first migration!");
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

// Collects steps.
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

// What a runner tells while it works. All may be empty.
struct MigratorListener {
  std::function<void(const std::string&)> tell;                                // a sentence
  std::function<void(const Migration&, std::size_t step)> begin_step;          // from 0
  std::function<void(const Migration&)> applied;                               // to its end
  std::function<void(const std::string& what, std::uint64_t entities)> moved;  // so far, in the step
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
  std::string source;             // empty: there is no such migration here, though it was applied
  std::optional<DateTime> ended;  // of an applied one, where it is known
  int step = 0;                   // of a begun one: the first that is not done, from 0
};

// All throw std::runtime_error with a sentence.
class Migrator {
 public:
  explicit Migrator(std::string_view connection_string, MigratorOptions options = {});
  Migrator(TableEndpoint endpoint, MigratorOptions options);

  // Applies it unless that was done before; goes on where it was interrupted. Returns whether there was anything to do.
  bool create_migration(const std::function<void(MigratorSyntax&)>& syntax, std::int64_t id,
                        std::string version, std::string description);

  // Applies those that wait, in their order, up to an id. Refuses, before it does anything, where one was applied or begun
  // as something else. Returns how many were applied.
  std::size_t up(const std::vector<Migration>& migrations, std::optional<std::int64_t> to = std::nullopt);

  // Of each, and of each that was applied and is not among them, by id.
  std::vector<MigrationStatus> status(const std::vector<Migration>& migrations);

  // What step costs, of a table as it is now.
  StepCost cost(const Step& step);

 private:
  bool has_work(const std::vector<Migration>& migrations, std::optional<std::int64_t> to);
  void check_unedited(const std::vector<Migration>& migrations);
  void apply(const Migration& migration, History& history);
  std::unique_ptr<MigrationClient> connect() const;

  const TableEndpoint endpoint_;
  const MigratorOptions options_;
  std::unique_ptr<MigrationClient> space_;
};

}  // namespace rocktable::migration
