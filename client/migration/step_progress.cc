#include "client/migration/step_progress.h"

namespace rocktable::migration {

StepFailure entity_error(const std::string& table, const EntityKey& key, const std::string& sentence) {
  return StepFailure("the table " + table + ", entity " + key_text(key) + ": " + sentence);
}

StepFailure missing_error(const std::string& table, const MissingEntities& missing) {
  return StepFailure("the table " + table + ": " + missing.sentence() +
                     " (give them the property, or the step \"onMissing\": \"skip\" or \"default\")");
}

}  // namespace rocktable::migration
