// Partition keys at which the pages of queries end, as at the borders of the servers that hold a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "odata/key_ranges.h"
#include "storage/store.h"

namespace rocktable {

// Returns the places at which pages end, in the order of keys: each of `count` partition keys of the table, and a place
// just after the partition before it. No key is between these two, so every second page that ends at a place is empty.
//
// The partition keys are those whose hash with `seed` is least, without the table's first: the same for the same table
// and seed. Only the first ten thousand partitions are considered. Errors: TableNotFound.
Result<std::vector<std::string>> page_boundaries(const Store& store, const TableName& table, std::int64_t count,
                                                 std::int64_t seed);

// Shortens `ranges` to the part before the first boundary behind their begin. Returns the boundary if anything was cut
// off.
std::optional<EntityKey> cut_at_boundary(KeyRanges& ranges, const std::vector<std::string>& boundaries);

}  // namespace rocktable
