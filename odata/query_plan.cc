// Classifies key ranges by comparing their bounds.
#include "odata/query_plan.h"

#include <algorithm>
#include <array>

namespace rocktable {
namespace {

// Returns whether `bound` is the place just after `text`.
bool is_just_after(std::string_view bound, std::string_view text) {
  return bound.size() == text.size() + 1 && bound.starts_with(text) && bound.back() == '\0';
}

}  // namespace

std::string_view to_string(PlanClass plan_class) {
  constexpr std::array<std::string_view, 5> kNames = {"point", "row-range", "partition-scan",
                                                      "partition-range", "table-scan"};
  return kNames[static_cast<std::size_t>(plan_class)];
}

bool is_single_key(const KeyRange& range) {
  return range.end && range.end->partition_key == range.begin.partition_key &&
         is_just_after(range.end->row_key, range.begin.row_key);
}

PlanClass classify(const KeyRange& range) {
  const EntityKey& begin = range.begin;
  if (is_single_key(range)) return PlanClass::Point;
  if (range.end && range.end->partition_key == begin.partition_key) return PlanClass::RowRange;
  if (range.end && range.end->row_key.empty() && is_just_after(range.end->partition_key, begin.partition_key))
    return begin.row_key.empty() ? PlanClass::PartitionScan : PlanClass::RowRange;
  if (!range.end && begin.partition_key.empty() && begin.row_key.empty()) return PlanClass::TableScan;
  return PlanClass::PartitionRange;
}

QueryPlan plan_query(const std::optional<Filter>& filter) {
  QueryPlan plan{filter ? key_ranges(*filter) : all_keys(), PlanClass::Point};
  for (const auto& range : plan.ranges) plan.plan_class = std::max(plan.plan_class, classify(range));
  return plan;
}

std::string to_string(const QueryPlan& plan) {
  return std::string(to_string(plan.plan_class)) + " " +
         (plan.ranges.empty() ? "nothing" : to_string(plan.ranges));
}

}  // namespace rocktable
