// The rules for every filter and its plan, checked on a fixed set of entities.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "odata/filter.h"
#include "odata/query_plan.h"
#include "tests/fuzz/require.h"
#include "tests/unit/storage/samples.h"

namespace rocktable {

// Neighbours and prefixes of each other. U+1F600 is before U+E000 and U+FFFD in UTF-16 order, after them in
// byte order.
inline constexpr std::string_view kFuzzKeys[] = {
    "", "!", "a", "aa", "ab", "b", "\xEE\x80\x80", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80", "a\xF0\x9F\x98\x80"};

class FuzzEntities {
 public:
  using Place = std::pair<std::u16string, std::u16string>;

  struct Row {
    EntityKey key;
    Place place;
    std::vector<PropertyView> properties;

    EntityView view() const { return {key.partition_key, key.row_key, DateTime{}, properties}; }
  };

  // Creates one entity for each pair of keys, with the property A (Int32), or B (Boolean), or both, or none.
  FuzzEntities() {
    for (const std::string_view partition_key : kFuzzKeys)
      for (const std::string_view row_key : kFuzzKeys) {
        const std::size_t number = rows.size();
        Row& row = rows.emplace_back();
        row.key = {std::string(partition_key), std::string(row_key)};
        row.place = place_of(row.key);
        if (number % 2 == 0) row.properties.push_back({"A", static_cast<std::int32_t>(number % 3)});
        if (number % 7 < 4) row.properties.push_back({"B", number % 7 < 2});
      }
  }

  std::vector<Row> rows;
};

inline const FuzzEntities& fuzz_entities() {
  static const FuzzEntities kEntities;
  return kEntities;
}

// Key ranges as intervals of positions in the order of keys.
class Places {
 public:
  explicit Places(const KeyRanges& ranges) {
    for (const KeyRange& range : ranges) {
      auto& [begin, end] = places_.emplace_back(place_of(range.begin), std::nullopt);
      if (range.end) end = place_of(*range.end);
    }
  }

  // Checks that ranges are sorted and disjoint, and none is empty.
  void require_order(const std::string& what) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto& [begin, end] = places_[i];
      require(!end || begin < *end, what + ": a range is empty");
      if (i + 1 == places_.size()) return;
      require(end && *end <= places_[i + 1].first, what + ": ranges overlap, or are not sorted");
    }
  }

  bool contain(const FuzzEntities::Place& place) const {
    for (const auto& [begin, end] : places_)
      if (begin <= place && (!end || place < *end)) return true;
    return false;
  }

 private:
  std::vector<std::pair<FuzzEntities::Place, std::optional<FuzzEntities::Place>>> places_;
};

// Checks that the plan is in order, and that every entity that matches is inside it.
inline void require_sound_plan(const std::optional<Filter>& filter) {
  const QueryPlan plan = plan_query(filter);
  const std::string what = to_string(plan);
  const Places places(plan.ranges);
  places.require_order(what);
  const bool whole_table = plan.ranges == all_keys();
  require(whole_table == (plan.plan_class == PlanClass::TableScan), what + ": of the wrong class");
  for (const auto& row : fuzz_entities().rows)
    if (matches(*filter, row.view()))
      require(places.contain(row.place), what + " lacks (" + row.key.partition_key + "," + row.key.row_key + ")");
}

}  // namespace rocktable
