// Undoes one step of a begun migration, as far as that is possible:
//
//   insert (without ifAbsent)  removes the entities that are as the file has them
//   copyTable, renameTable     removes the copies that are as their originals, if the migration created the table
//   rekey in progress          gives entities back their old keys (rekey_undo.h)
//   all others                 what they changed stays, because its former content is not known
//
// Tables that the migration created are not deleted here, because several steps may use them.
#pragma once

#include "client/migration/abort/undo_client.h"
#include "client/migration/history.h"
#include "client/migration/migration.h"

namespace rocktable::migration {

struct StepToUndo {
  std::size_t number = 0;            // from 0
  const Step* step = nullptr;        // nullptr: its content is not known
  std::string work_table;            // of the step
  RunningMigration running;          // the record
  bool is_in_progress = false;       // the phase is that of the record; otherwise the step is done
  std::function<void()> on_restore;  // see rekey_undo.h
};

void undo_step(UndoClient& client, const StepToUndo& undo);

}  // namespace rocktable::migration
