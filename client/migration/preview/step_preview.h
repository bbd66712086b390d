// What one step would do to the tables of a simulated account.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "client/migration/migration.h"
#include "client/migration/missing_rule.h"
#include "client/migration/preview/simulated_account.h"

namespace rocktable::migration {

struct StepPreview {
  std::size_t step = 0;  // from 0
  std::string summary;
  std::uint64_t entities = 0;      // that it would write or delete
  std::uint64_t transactions = 0;  // entity group transactions of up to 100 writes, and single writes
  MissingEntities skipped;
  std::string failure;        // why it would fail; empty: it would not
  std::string not_simulated;  // what is not known, and why; empty: nothing
};

struct StepContext {
  std::string work_table;            // of a rekey
  int phase = 0;                     // where the step would continue (step_progress.h)
  std::set<std::string> used_later;  // tables of later steps, in lower case
};

// The tables that a step reads or changes.
std::vector<std::string> tables_of(const Step& step);

StepPreview preview_step(SimulatedAccount& account, MigrationClient& client, const Step& step,
                         const StepContext& context);

}  // namespace rocktable::migration
