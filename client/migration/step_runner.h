// Does the steps of a migration, each so that it can be begun again after an interruption at any moment, with the result
// of having been done once.
#pragma once

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"
#include "client/migration/step_progress.h"

namespace rocktable::migration {

// Throws std::runtime_error with a sentence. Nothing was changed where entities cannot be changed as the step wants; other
// failures (no answer, no permission) may come in the middle, and the step is to be done again.
void run_step(MigrationClient& space, const Step& step, const StepProgress& progress);

// Reads and counts, by the tables as they are now. A table that is missing has no entities.
StepCost cost_of(MigrationClient& space, const Step& step);

}  // namespace rocktable::migration
