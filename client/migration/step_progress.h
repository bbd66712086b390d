// Types that all steps share: progress and errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "client/migration/missing_rule.h"
#include "odata/entity.h"

namespace rocktable::migration {

// Progress of a step. In phase 0 a step has changed nothing but its temporary tables, and possibly created
// a table. The other numbers are private to each step.
struct StepProgress {
  std::string work_table;                                // name of its temporary table: unique per migration and step
  int phase = 0;                                         // the phase to continue with
  bool is_retry = false;                                 // some of its changes may be done already
  std::function<void(int phase)> on_phase = [](int) {};  // all earlier phases are complete
  std::function<void(std::uint64_t entities)> on_entities = [](std::uint64_t) {};  // number so far
  std::function<void(const std::string& table)> on_created = [](const auto&) {};   // the step created the table
  std::function<void(const MissingEntities&)> on_skipped = [](const auto&) {};     // in phase 0: these stay
};

// A step cannot do what it should with the entities that there are. what() is a sentence.
class StepFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The error for an entity that stops a step.
StepFailure entity_error(const std::string& table, const EntityKey& key, const std::string& sentence);

// The error for entities that lack a property, of a step that must not skip them.
StepFailure missing_error(const std::string& table, const MissingEntities& missing);

}  // namespace rocktable::migration
