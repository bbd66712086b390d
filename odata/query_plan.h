// How a query goes about its work: the keys that it has to read, and what kind of work that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/filter.h"
#include "odata/key_ranges.h"

namespace rocktable {

// The words of the service's design guide, from cheap to dear.
// Source: learn.microsoft.com/azure/storage/tables/table-storage-design-for-query
enum class PlanClass {
  Point,           // single entities by their whole keys
  RowRange,        // ranges of rows, each in one partition
  PartitionScan,   // whole partitions, each named
  PartitionRange,  // a range of partitions
  TableScan,       // everything
};

// `point`, `row-range`, `partition-scan`, `partition-range`, `table-scan`.
std::string_view to_string(PlanClass plan_class);

struct QueryPlan {
  KeyRanges ranges;                         // empty: nothing can match, and nothing is read
  PlanClass plan_class = PlanClass::Point;  // that of the dearest range
};

// The plan of a query with this filter, or of one without.
QueryPlan plan_query(const std::optional<Filter>& filter);

// A range of one key: found by look-up, not by a scan.
bool is_one_key(const KeyRange& range);

PlanClass classify(const KeyRange& range);

// `row-range [(a,5) (a,6))`, for people and tests.
std::string to_string(const QueryPlan& plan);

}  // namespace rocktable
