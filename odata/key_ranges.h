// Which keys a filter can match: the part of a table that a query has to read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "odata/entity.h"
#include "odata/filter.h"

namespace rocktable {

// A half-open range: begin <= key < end in the order of (PartitionKey, RowKey). Without `end` it extends to
// the end of the table.
//
// A bound is a key, or the place just after a key. The smallest string above s is s followed by U+0000, which
// no key holds. So {"a", "x\0"} is just after the row x of partition a, and {"a\0", ""} is just after all of
// partition a.
struct KeyRange {
  EntityKey begin;
  std::optional<EntityKey> end;

  bool operator==(const KeyRange&) const = default;
};

// Sorted and disjoint; no range is empty. An empty list means that nothing can match.
using KeyRanges = std::vector<KeyRange>;

// Returns the ranges that can hold entities that match `filter`. The ranges may be wider than necessary, but
// never narrower: every entity that matches is in one of them.
//
// `and` intersects, `or` unites, `not` complements comparisons of keys. De Morgan's laws push `not` down to
// the comparisons, so that no upper bound is complemented. Every other condition may hold for any key. RowKey
// bounds have an effect only within a fixed PartitionKey; otherwise the range covers whole partitions. The
// time is bounded for any filter: if ranges would multiply (thousands of partitions times thousands of rows),
// they become wider instead.
KeyRanges key_ranges(const Filter& filter);

// The same for a filter of tables. The name of the table is in the place of the PartitionKey, in lower case
// like the literals of the filter; RowKeys are empty. A filter of tables has no other property, so the ranges
// are exact unless the time limit widened them.
KeyRanges table_name_ranges(const Filter& filter);

// The range of the whole table, and the range of one entity.
KeyRanges all_keys();
KeyRanges range_of_key(const EntityKey& key);

// Returns the part of `ranges` from `key` on, to resume a scan.
KeyRanges starting_at(KeyRanges ranges, const EntityKey& key);

// Returns the part of `ranges` within `limits`, for a caller who may access only a range of keys.
KeyRanges intersect(KeyRanges ranges, const KeyRange& limits);

bool contains(const KeyRange& range, const EntityKey& key);

// Writes `[(a,1) (a,5)) [(b,) end)`, with a trailing U+0000 as `+`.
std::string to_string(const KeyRange& range);
std::string to_string(const KeyRanges& ranges);

}  // namespace rocktable
