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
  std::string source;             // file name; empty: applied, but missing from the given migrations
  std::optional<DateTime> ended;  // when it was applied, if known
  int step = 0;                   // of a begun migration: its first unfinished step, from 0
};

// All functions throw std::runtime_error with a sentence.
class Migrator {
 public:
  explicit Migrator(TableEndpoint endpoint, MigratorOptions options = {});

  // Applies all waiting migrations in the order of their ids, up to the id `to`. Fails before any change if
  // the content of an applied or begun migration has changed. The ids must be unique. Returns how many were
  // applied.
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
