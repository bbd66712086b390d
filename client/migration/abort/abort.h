// Undoes begun migrations, so that they count as waiting. docs/migrations.md describes what can be undone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/migration/migration.h"
#include "client/migration/runner_lock.h"

namespace rocktable::migration {

struct AbortOptions {
  HttpOptions http;
  RunnerLockOptions lock;
  bool dry_run = false;                                // only report
  std::function<void(const std::string&)> on_message;  // such as a retry
};

struct AbortedMigration {
  std::int64_t id = 0;
  std::string version, description;  // empty: its file is missing
  std::vector<std::string> undone;   // sentences
  std::vector<std::string> stays;    // sentences: what, and why
};

// Aborts all begun migrations, the last one first. Takes the lock of runners, except for a dry run. If it is
// interrupted or fails, a repetition continues. Throws std::runtime_error with a sentence.
std::vector<AbortedMigration> abort_migrations(const TableEndpoint& endpoint, const AbortOptions& options,
                                               const std::vector<Migration>& migrations);

}  // namespace rocktable::migration
