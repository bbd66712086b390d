// Gives entities of a table new keys.
//
// Moving entities one by one would be wrong: a scan of a table that is being written returns some of them
// twice, and would apply a template over the old keys twice. The step uses two temporary tables instead, NEW
// and NEWold:
//
//   phase 0  empties both; writes each entity with its new keys to NEW, and its old key with its ETag to
//            NEWold. The step fails here if two entities get the same key, or if a new key belongs to an
//            entity that is not re-keyed
//   phase 1  deletes the old entities that have not changed; reads and moves those that have
//   phase 2  writes all of NEW to the table
//   phase 3  deletes both temporary tables
//
// Each phase reads only what earlier phases wrote, so it can be repeated from its start.
#pragma once

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"
#include "client/migration/step_progress.h"

namespace rocktable::migration {

void run_rekey(MigrationClient& client, const Rekey& step, const StepProgress& progress);

}  // namespace rocktable::migration
