// A budget: which work requests may cause. A file of a project, usually rocktable.budget.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/judge/verdict.h"
#include "odata/files/file_error.h"
#include "odata/insight/scan_limits.h"
#include "odata/query_plan.h"

namespace rocktable {

// A value, and where a file has it. Line 0: it is not from a file.
template <class T>
struct Placed {
  T value;
  FilePlace place = {};
};

// With kMaxScannedPerReturned, the limits where a budget has none.
inline constexpr PlanClass kDefaultMaxClass = PlanClass::PartitionScan;

struct BudgetLimits {
  std::optional<Placed<PlanClass>> max_class;  // nullopt: this rule does not limit it
  std::optional<Placed<double>> max_scanned_per_returned;
  std::optional<Placed<std::uint64_t>> min_scanned;  // queries that scan fewer are not judged (scanned_by_query())
};

// The fields of a request's shape that rules select by (ShapeStatistics).
struct RuleSubject {
  std::string_view table, operation, fingerprint, client, test;
};

struct BudgetRule {
  // All that are given must be equal. At least one is given.
  std::optional<std::string> table;  // folded as the server does it (odata/insight/folded_table.h)
  std::optional<std::string> operation, fingerprint, client, test;
  BudgetLimits limits;
  bool allow = false;  // whatever the class and the ratio; also pages that are not followed
  std::string reason;  // for people
  FilePlace place = {};

  bool matches(const RuleSubject& subject) const;
  // The higher one decides: fingerprint before operation before table before test before client.
  int specificity() const;
  bool selects_the_same(const BudgetRule& other) const;
};

struct BudgetTotals {
  std::optional<Placed<std::uint64_t>> transactions;      // client/report/transactions.h
  std::optional<Placed<std::uint64_t>> entities_scanned;  // by all requests
};

struct Budget {
  std::string file;  // its name, for messages
  // All limits are always given.
  BudgetLimits defaults{{{kDefaultMaxClass}}, {{double{kMaxScannedPerReturned}}}, {{kMinScannedByQuery}}};
  std::vector<BudgetRule> rules;
  BudgetTotals totals;
  std::map<std::string, Level, std::less<>> findings;  // by id; others have the level of the catalog
};

// Reads the form of docs/budget.schema.json. `source` is the name in errors. Throws FileError with line and column, for
// unknown members too.
Budget parse_budget(std::string_view text, const std::string& source);

// Throws also std::runtime_error if the file cannot be read.
Budget read_budget(const std::string& file);

// Writes the form that parse_budget() reads, with the schema's usual name as `$schema`.
std::string to_json_text(const Budget& budget);

// The JSON schema of the form, for completion in editors. docs/budget.schema.json is compiled into the program.
extern const char* const kBudgetSchema;

}  // namespace rocktable
