// Whether a begun migration can continue with the content that its file has now.
//
//   done steps            must be unchanged
//   the step in progress  may be changed or removed if it has changed nothing yet but its temporary tables
//                         (phase 0). It is then begun anew. Later only its rule for missing properties may
//                         change, and only from "fail", because until then the rule was not applied
//   later steps           may be changed
//
// Version and description may be changed.
#pragma once

#include <string>

#include "client/migration/history.h"
#include "client/migration/migration.h"

namespace rocktable::migration {

struct Resumption {
  bool is_edited = false;  // the content is not that with which the migration began
  bool restarts = false;   // the step in progress has another content, and is begun anew
  std::string refusal;     // a sentence: which step differs, and why it must not. Empty: the migration can continue
};

Resumption resumption_of(const RunningMigration& running, const Migration& migration);

}  // namespace rocktable::migration
