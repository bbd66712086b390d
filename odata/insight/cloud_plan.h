// How the service itself would answer a query. It narrows what it reads by fewer filters than rocktable does.
#pragma once

#include <optional>

#include "odata/query_plan.h"

namespace rocktable {

// Returns the plan of the service for a query with or without a filter: one range, or none if nothing can match.
//
// Only comparisons (`eq`, `gt`, `ge`, `lt`, `le`) of keys narrow it, alone or joined by `and`; those of the RowKey only
// beside `PartitionKey eq`. `or`, `not` and `ne` narrow nothing, and an `or` over RowKeys also makes a scan of the
// partition where other comparisons of the RowKey stand beside it. docs/insight.md has the rules with their sources.
// Where the sources leave open what the service does, this is the more expensive plan.
QueryPlan cloud_plan(const std::optional<Filter>& filter);

// The same, or nullopt if it is `plan`, which is plan_query() of this filter. Takes next to no time for usual filters.
std::optional<QueryPlan> cloud_plan_beside(const QueryPlan& plan, const std::optional<Filter>& filter);

}  // namespace rocktable
