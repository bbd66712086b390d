#include "odata/insight/cloud_plan.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rocktable {
namespace {

constexpr std::string_view kPartitionKey = "PartitionKey", kRowKey = "RowKey";

bool narrows(const Filter& term) {
  const auto* const comparison = std::get_if<Comparison>(&term.node);
  return comparison != nullptr && comparison->op != ComparisonOperator::Ne &&
         (comparison->property == kPartitionKey || comparison->property == kRowKey);
}

bool is_of_row_key(const Filter& filter) {
  const auto* const comparison = std::get_if<Comparison>(&filter.node);
  return comparison != nullptr && comparison->property == kRowKey;
}

// Returns whether an `or` in `filter` joins conditions of the RowKey. Without recursion: filters may be deep.
bool joins_row_keys_by_or(const Filter& filter) {
  struct Part {
    const Filter* filter;
    bool is_within_or;
  };
  std::vector<Part> rest{{&filter, false}};
  while (!rest.empty()) {
    const auto [part, is_within_or] = rest.back();
    rest.pop_back();
    if (is_within_or && is_of_row_key(*part)) return true;
    if (const auto* const negation = std::get_if<Not>(&part->node))
      rest.push_back({negation->term.get(), is_within_or});
    if (const auto* const conjunction = std::get_if<And>(&part->node))
      for (const Filter& term : conjunction->terms) rest.push_back({&term, is_within_or});
    if (const auto* const disjunction = std::get_if<Or>(&part->node))
      for (const Filter& term : disjunction->terms) rest.push_back({&term, true});
  }
  return false;
}

// Whether rocktable narrows a query by this term in the same way, or not at all.
bool is_understood_alike(const Filter& term) {
  const auto* const comparison = std::get_if<Comparison>(&term.node);
  return (comparison != nullptr && comparison->op != ComparisonOperator::Ne) ||
         std::holds_alternative<BooleanProperty>(term.node);
}

// The terms that `and` joins; one, if none does.
std::span<const Filter> terms_of(const Filter& filter) {
  if (const auto* const conjunction = std::get_if<And>(&filter.node)) return conjunction->terms;
  return {&filter, 1};
}

}  // namespace

QueryPlan cloud_plan(const std::optional<Filter>& filter) {
  if (!filter) return plan_query(filter);
  const std::span<const Filter> terms = terms_of(*filter);
  const bool scans_rows = std::ranges::any_of(terms, joins_row_keys_by_or);
  And kept;
  for (const Filter& term : terms)
    if (narrows(term) && !(scans_rows && is_of_row_key(term))) kept.terms.push_back({std::get<Comparison>(term.node)});
  if (kept.terms.empty()) return plan_query(std::nullopt);
  if (kept.terms.size() == 1) return plan_query(std::optional<Filter>(std::move(kept.terms.front())));
  return plan_query(Filter{std::move(kept)});
}

std::optional<QueryPlan> cloud_plan_beside(const QueryPlan& plan, const std::optional<Filter>& filter) {
  if (!filter || std::ranges::all_of(terms_of(*filter), is_understood_alike)) return std::nullopt;
  QueryPlan out = cloud_plan(filter);
  if (out.ranges == plan.ranges && out.plan_class == plan.plan_class) return std::nullopt;
  return out;
}

}  // namespace rocktable
