// Gives entities of a table new keys.
//
// Moving entities one by one would be wrong: a scan of a table that is being written returns some of them
// twice, and would apply a template over the old keys twice. The step uses two temporary tables instead, NEW
// and NEWold:
//
//   phase 0  empties both; writes each entity with its new keys to NEW, and a RekeyRecord to NEWold. The
//            step fails here if an entity lacks a property and must not be skipped, if two entities get the
//            same key, or if a new key belongs to an entity that is not re-keyed. A skipped entity is in
//            neither table, so no later phase touches it
//   phase 1  deletes the old entities that have not changed; reads and moves those that have
//   phase 2  writes all of NEW to the table
//   phase 3  deletes both temporary tables
//
// Each phase reads only what earlier phases wrote, so it can be repeated from its start. Until phase 3 the two
// tables have all that is needed to undo the step.
#pragma once

#include <optional>
#include <string>

#include "client/migration/migration.h"
#include "client/migration/migration_client.h"
#include "client/migration/step_progress.h"

namespace rocktable::migration {

inline constexpr int kRekeyMoved = 3;  // the phase in which only the temporary tables are left

// Throws KeyTemplateError.
EntityKey new_key_of(const Rekey& step, const Entity& entity);

// A row of NEWold. Its key is the old key of the entity.
struct RekeyRecord {
  EntityKey old_key;
  DateTime timestamp;                // of the entity when it was read
  std::optional<EntityKey> new_key;  // nullopt: written by an earlier version

  Entity to_entity() const;
  static RekeyRecord from(const Entity& row);
};

// Names of NEW and NEWold.
struct RekeyTables {
  std::string with_new_keys, records;
};
RekeyTables rekey_tables(const std::string& work_table);

void run_rekey(MigrationClient& client, const Rekey& step, const StepProgress& progress);

}  // namespace rocktable::migration
