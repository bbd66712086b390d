// Applies migrations to an account, each once, and reports their status.
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

// Callbacks that report progress. Each may be empty.
struct MigratorListener {
  std::function<void(const std::string&)> on_message;                                // a message, such as a retry
  std::function<void(const Migration&, std::size_t step)> on_step;                   // `step` counts from 0
  std::function<void(const Migration&)> on_applied;                                  // the migration is complete
  std::function<void(const std::string& what, std::uint64_t entities)> on_entities;  // entities so far in the step
  // The step is done, and these entities stayed as they were.
  std::function<void(const Migration&, std::size_t step, const MissingEntities&)> on_skipped;
};

struct MigratorOptions {
  HttpOptions http;
  RunnerLockOptions lock;
  MigratorListener listener;
};

// Edited: applied or begun with another content. Such a begun migration cannot continue (resumption.h).
enum class MigrationState { Waiting, Begun, Applied, Edited, Aborting };

std::string_view to_string(MigrationState state);

struct MigrationStatus {
  std::int64_t id = 0;
  MigrationState state = MigrationState::Waiting;
  std::string version, description;
  std::string source;             // file name; empty: applied, but missing from the given migrations
  std::optional<DateTime> ended;  // when it was applied, if known
  int step = 0;                   // of a begun migration: its first unfinished step, from 0
  int phase = 0;                  // of that step
  bool is_edited = false;         // of a begun migration: it continues with another content
  std::string why;                // of an edited migration: a sentence
};

// The name of a step's temporary table, unique per migration and step.
std::string work_table_of(std::int64_t migration, std::size_t step);

// All functions throw std::runtime_error with a sentence.
class Migrator {
 public:
  explicit Migrator(TableEndpoint endpoint, MigratorOptions options = {});

  // Applies all waiting migrations in the order of their ids, up to the id `to`. Fails before any change if
  // the content of an applied migration has changed, or that of a begun one so that it cannot continue, or if a
  // migration is being aborted. The ids must be unique. Returns how many were applied.
  std::size_t up(const std::vector<Migration>& migrations, std::optional<std::int64_t> to = std::nullopt);

  // The status of each migration, and of applied migrations that are not in `migrations`, sorted by id.
  std::vector<MigrationStatus> status(const std::vector<Migration>& migrations);

  // Throws if up() would refuse to begin.
  void check_startable(const std::vector<Migration>& migrations);

 private:
  bool has_work(const std::vector<Migration>& migrations, std::optional<std::int64_t> to);
  RunningMigration begin(const Migration& migration, const RunningMigration* found);
  void apply(const Migration& migration, History& history);
  std::unique_ptr<MigrationClient> connect() const;

  const TableEndpoint endpoint_;
  const MigratorOptions options_;
  std::unique_ptr<MigrationClient> client_;
};

}  // namespace rocktable::migration
