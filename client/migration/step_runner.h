// Runs the steps of a migration. A step can be interrupted at any time and repeated; the result is the same
// as running it once.
#pragma once

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"
#include "client/migration/step_progress.h"

namespace rocktable::migration {

inline constexpr int kRenameCopied = 1;  // the phase of a RenameTable whose entities are all copied

// Throws std::runtime_error with a sentence. Nothing has changed if an entity cannot be changed as the step
// requires. Other failures (no response, no permission) may occur in the middle; then the step must be
// repeated.
void run_step(MigrationClient& client, const Step& step, const StepProgress& progress);

}  // namespace rocktable::migration
