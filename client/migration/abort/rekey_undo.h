// Gives entities back their old keys, if a rekey has begun to move them (rekey.h describes its phases):
//
//   phase 2          removes the entities with new keys whose content is that of NEW
//   kRekeyRestoring  writes each entity of NEW with the old key of its record, unless one is there. If another
//                    program has written an entity with that key, the entity gets its new key again
//
// Both can be repeated from their start. If both keys were written by another program, the undo fails and
// keeps the temporary tables, until one of the keys is free. An entity that was changed since it got its new
// key stays there, and its former content is restored beside it.
#pragma once

#include <functional>
#include <string>

#include "client/migration/abort/undo_client.h"

namespace rocktable::migration {

inline constexpr int kRekeyRestoring = 12;

struct RekeyToUndo {
  std::string table;       // whose entities move
  std::string work_table;  // StepProgress::work_table
  bool keep_old = false;
  int phase = 0;                     // of the step: 1, 2 or kRekeyRestoring
  std::function<void()> on_restore;  // kRekeyRestoring begins
};

// Afterwards the temporary tables are needed no longer; if they are gone, nothing is done. Throws
// std::runtime_error.
void undo_rekey(UndoClient& client, const RekeyToUndo& rekey);

}  // namespace rocktable::migration
