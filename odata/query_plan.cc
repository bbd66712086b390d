// Classifies key ranges, and finds what they imply, by comparing their bounds.
#include "odata/query_plan.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/text.h"

namespace rocktable {
namespace {

// Returns whether `bound` is the place just after `text`.
bool is_just_after(std::string_view bound, std::string_view text) {
  return bound.size() == text.size() + 1 && bound.starts_with(text) && bound.back() == '\0';
}

// Returns whether the range has all its keys in the partition of its first key.
bool is_within_partition(const KeyRange& range) {
  if (!range.end) return false;
  const std::string& partition = range.begin.partition_key;
  return range.end->partition_key == partition ||
         (range.end->row_key.empty() && is_just_after(range.end->partition_key, partition));
}

// `range` must be within one partition.
bool implies_row_comparison(const KeyRange& range, ComparisonOperator op, const std::string& literal) {
  const Utf16Less less;
  const std::string& begin = range.begin.row_key;
  const bool is_bounded = range.end->partition_key == range.begin.partition_key;
  const std::string& end = range.end->row_key;
  switch (op) {
    case ComparisonOperator::Eq:
      return begin == literal && is_bounded && is_just_after(end, literal);
    case ComparisonOperator::Gt:
      return less(literal, begin);
    case ComparisonOperator::Ge:
      return !less(begin, literal);
    case ComparisonOperator::Lt:
      return is_bounded && !less(literal, end);
    case ComparisonOperator::Le:
      return is_bounded && !less(literal + '\0', end);
    case ComparisonOperator::Ne:
      return false;
  }
  return false;
}

// Returns whether each key in the range satisfies `term`.
bool implies(const KeyRange& range, const Filter& term) {
  const auto* comparison = std::get_if<Comparison>(&term.node);
  const auto* literal = comparison != nullptr ? std::get_if<std::string>(&comparison->literal) : nullptr;
  const auto holds_null = [](std::string_view text) { return text.find('\0') != text.npos; };
  if (literal == nullptr || holds_null(*literal) || !is_within_partition(range)) return false;
  const std::string_view partition = range.begin.partition_key;
  if (comparison->property == "PartitionKey")
    return !holds_null(partition) && compare(partition, comparison->op, std::string_view(*literal));
  return comparison->property == "RowKey" && implies_row_comparison(range, comparison->op, *literal);
}

}  // namespace

std::string_view to_string(PlanClass plan_class) {
  constexpr std::array<std::string_view, 5> kNames = {"point", "row-range", "partition-scan", "partition-range",
                                                      "table-scan"};
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

void remove_implied_terms(std::optional<Filter>& filter, const KeyRanges& ranges) {
  constexpr std::size_t kMaxRanges = 16;  // bounds the time
  if (!filter || ranges.empty() || ranges.size() > kMaxRanges) return;
  const auto is_implied = [&](const Filter& term) {
    return std::ranges::all_of(ranges, [&](const KeyRange& range) { return implies(range, term); });
  };
  auto* conjunction = std::get_if<And>(&filter->node);
  if (conjunction == nullptr) {
    if (is_implied(*filter)) filter.reset();
    return;
  }
  auto& terms = conjunction->terms;
  std::erase_if(terms, is_implied);
  if (terms.empty()) {
    filter.reset();
  } else if (terms.size() == 1) {
    Filter only = std::move(terms.front());
    filter = std::move(only);
  }
}

std::string to_string(const QueryPlan& plan) {
  return std::string(to_string(plan.plan_class)) + " " + (plan.ranges.empty() ? "nothing" : to_string(plan.ranges));
}

}  // namespace rocktable
