// The plan of a query: the keys that it has to read, and the class of that work.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/filter.h"
#include "odata/key_ranges.h"

namespace rocktable {

// Named as in the service's design guide, from cheap to expensive.
// Source: learn.microsoft.com/azure/storage/tables/table-storage-design-for-query
enum class PlanClass {
  Point,           // single entities by PartitionKey and RowKey
  RowRange,        // ranges of rows, each in one partition
  PartitionScan,   // whole partitions, each given by its PartitionKey
  PartitionRange,  // a range of partitions
  TableScan,       // everything
};

// `point`, `row-range`, `partition-scan`, `partition-range`, `table-scan`.
std::string_view to_string(PlanClass plan_class);

struct QueryPlan {
  KeyRanges ranges;                         // empty: nothing can match, and nothing is read
  PlanClass plan_class = PlanClass::Point;  // the class of the most expensive range
};

// Returns the plan of a query with or without a filter.
QueryPlan plan_query(const std::optional<Filter>& filter);

// Removes the terms of `filter` that each key in `ranges` satisfies, so that they are not evaluated for each row.
// Sets it to nullopt if no term is left. Removes only comparisons of keys, alone or within an `and`, and only if each
// range is within one partition.
void remove_implied_terms(std::optional<Filter>& filter, const KeyRanges& ranges);

// Returns whether the range holds one key, so that the query needs a look-up instead of a scan.
bool is_single_key(const KeyRange& range);

PlanClass classify(const KeyRange& range);

// Writes `row-range [(a,5) (a,6))`, for people and tests.
std::string to_string(const QueryPlan& plan);

}  // namespace rocktable
