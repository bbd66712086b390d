#include "client/migration/resumption.h"

namespace rocktable::migration {
namespace {

// `step 2 of 4 (create table one)`
std::string name_of_step(const Migration& migration, std::size_t step) {
  return "step " + std::to_string(step + 1) + " of " + std::to_string(migration.steps.size()) + " (" +
         summary(migration.steps[step]) + ")";
}

}  // namespace

Resumption resumption_of(const RunningMigration& running, const Migration& migration) {
  if (running.checksum == checksum(migration)) return {};
  Resumption out{.is_edited = true, .restarts = false, .refusal = {}};
  const auto step = static_cast<std::size_t>(running.step);
  if (running.digests.empty() || running.digests.size() < step) {
    out.refusal = "there is no record of the content of each step";
    return out;
  }
  for (std::size_t i = 0; i < step; ++i) {
    if (i >= migration.steps.size()) {
      out.refusal = "step " + std::to_string(i + 1) + " is done, and is missing now";
    } else if (digest(migration.steps[i]) != running.digests[i]) {
      out.refusal = name_of_step(migration, i) + " is not the step that is done";
    }
    if (!out.refusal.empty()) return out;
  }
  if (running.digests.size() == step) return out;  // no step is in progress
  const StepDigest& begun = running.digests[step];
  if (step < migration.steps.size() && digest(migration.steps[step]) == begun) return out;
  if (running.phase == 0) {
    out.restarts = true;
    return out;
  }
  if (step >= migration.steps.size()) {
    out.refusal = "step " + std::to_string(step + 1) + " has begun to change tables, and is missing now";
    return out;
  }
  const auto strict = with_missing_refused(migration.steps[step]);
  if (!strict || digest(*strict) != begun)
    out.refusal = name_of_step(migration, step) + " is not the step that has begun to change tables";
  return out;
}

}  // namespace rocktable::migration
