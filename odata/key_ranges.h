// Which keys a filter can match at all: the part of a table that a query has to read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "odata/entity.h"
#include "odata/filter.h"

namespace rocktable {

// Half-open: begin <= key < end in the order of (PartitionKey, RowKey); without end to the end of the table.
//
// A bound is a key, or the place just behind one: the smallest string above s is s followed by U+0000, which
// no key holds. So {"a", "x\0"} is just behind the row x of partition a, and {"a\0", ""} is just behind all
// of partition a.
struct KeyRange {
  EntityKey begin;
  std::optional<EntityKey> end;

  bool operator==(const KeyRange&) const = default;
};

// Sorted, disjoint, none empty. No range at all: nothing can match.
using KeyRanges = std::vector<KeyRange>;

// The ranges that can hold entities matching `filter`. Wider than needed at times, narrower never: every
// entity that matches lies in one.
//
// `and` intersects, `or` unites, `not` complements comparisons of keys (pushed down to them by De Morgan, so
// that nothing is complemented that is only an upper bound); every other condition may hold anywhere. RowKey
// bounds count only under a fixed PartitionKey: elsewhere the range covers whole partitions. Takes bounded
// time for any filter: where ranges would multiply (thousands of partitions times thousands of rows), they
// become wider instead.
KeyRanges key_ranges(const Filter& filter);

// The same for a filter of tables. A table's name stands where a PartitionKey does, in lower case as the filter's literals
// are; RowKeys are empty. A filter of tables has no other property, so the ranges are exact, but where they had to become
// wider.
KeyRanges table_name_ranges(const Filter& filter);

// The whole table; one entity.
KeyRanges all_keys();
KeyRanges one_key(const EntityKey& key);

// The part of `ranges` from `key` on: where a scan resumes.
KeyRanges starting_at(KeyRanges ranges, const EntityKey& key);

// The part of `ranges` within `limits`: what a caller with a limited range of keys may see of them.
KeyRanges within(KeyRanges ranges, const KeyRange& limits);

bool contains(const KeyRange& range, const EntityKey& key);

// `[(a,1) (a,5)) [(b,) end)`, a trailing U+0000 written as `+`.
std::string to_string(const KeyRange& range);
std::string to_string(const KeyRanges& ranges);

}  // namespace rocktable
