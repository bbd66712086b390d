// What is wrong in a report, and whether it is more than a budget allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/report/prices.h"
#include "odata/advice/design_advice.h"

namespace rocktable {

enum class Level { Off, Warn, Error };

// One line of the gate.
struct Violation {
  Level level = Level::Warn;  // Warn or Error
  std::string id;             // a finding's id, or `total-transactions`, `total-entities-scanned`
  std::string table, operation, fingerprint, plan, client, test, example;  // empty: not of one shape
  std::uint64_t count = 0;
  std::string sentence;  // what is: "a table scan read 3,000 entities to return 12"
  std::string allowed;   // "at most partition-scan (rocktable.budget.json:3:17)"; empty without a budget
  std::optional<DesignAdvice> design;
};

struct Verdict {
  bool has_budget = false;                // false: nothing is an error
  std::vector<Violation> violations;      // worst first: errors, then warnings; by count
  std::vector<std::string> unused_rules;  // sentences
  std::optional<CostTable> cost;          // nullopt: no prices are given
};

}  // namespace rocktable
