// The requests of a report as a budget sees them: which limits apply to each shape, and how much it used of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/report/insight_report.h"
#include "client/report/judge/budget.h"

namespace rocktable {

// Shapes of one table, operation, fingerprint and class, to which the same rules apply, from all accounts.
struct JudgedShape {
  std::string table, operation, fingerprint;
  PlanClass plan = PlanClass::Point;
  std::string client, test;  // empty: several
  std::string example;
  std::uint64_t requests = 0, continuations = 0, scanned = 0, most_scanned = 0, returned = 0;
  bool counts_entities = true;                 // false: the numbers of entities are not known
  std::optional<Placed<PlanClass>> max_class;  // nullopt: everything is allowed
  std::optional<Placed<double>> max_scanned_per_returned;
  std::optional<Placed<std::uint64_t>> min_scanned;

  // Whether its queries scan enough entities to be judged. Those of logs may: nobody counted.
  bool is_large() const;
  // Entities scanned for each one returned; 0 if that says nothing: below kMinScanned, or not is_large().
  double ratio() const;
  // A scan of several partitions counts only if it is large: a table of settings is read as a whole.
  bool breaks_class() const {
    return max_class && plan > max_class->value && (plan < PlanClass::PartitionRange || is_large());
  }
  bool breaks_ratio() const { return max_scanned_per_returned && ratio() > max_scanned_per_returned->value; }
};

struct JudgedShapes {
  std::vector<JudgedShape> shapes;  // in the order of their first ones in the report; without those that have no class
  std::vector<bool> used;           // for each rule of the budget: whether a shape matches it
};

// The report must not be merged: rules may name clients and tests.
JudgedShapes judged_shapes(const InsightReport& report, const Budget& budget);

std::uint64_t entities_scanned_by(const InsightReport& report);

}  // namespace rocktable
