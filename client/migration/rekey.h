// New keys for entities of a table.
//
// Entities are not moved one by one: a table that is read while it is written to shows them twice, and a template over the
// old keys would be applied twice. They go through two tables of the step's own instead, NEW and NEWold:
//
//   phase 0  both are emptied; each entity is written to NEW with its new keys, and its old key with its ETag to NEWold. Two
//            entities with the same new key, or one whose new key belongs to an entity that stays, end the step here
//   phase 1  the old entities are deleted, if they are still as they were read; one that is not is read again
//   phase 2  all of NEW is written to the table
//   phase 3  both tables are deleted
//
// Each phase reads what only an earlier one writes: so it can be done again from its start.
#pragma once

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"
#include "client/migration/step_progress.h"

namespace rocktable::migration {

void run_rekey(MigrationClient& space, const Rekey& step, const StepProgress& progress);

}  // namespace rocktable::migration
