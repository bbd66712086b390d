#include "storage/table_size.h"

#include <algorithm>
#include <limits>

#include "storage/store.h"

namespace rocktable {
namespace {

// Of fewer, the store's figure is the rounding of a block or of a skip list.
constexpr std::uint64_t kLeastSample = 1000;

// How many entities `rest` has, by what the `counted` ones before it take in the store. What the store adds to each, as
// old versions and its own fields, is in both figures and does not matter.
std::uint64_t estimate(const Store& store, const TableName& name, const TableSize& counted, const KeyRanges& ranges,
                       const EntityKey& rest) {
  const auto counted_bytes = store.approximate_bytes(name, intersect(ranges, {{}, rest}));
  const auto rest_bytes = store.approximate_bytes(name, starting_at(ranges, rest));
  const auto taken = counted.entities < kLeastSample ? counted.bytes : std::max(counted.bytes, counted_bytes);
  const double share = static_cast<double>(rest_bytes) / static_cast<double>(std::max<std::uint64_t>(taken, 1));
  return static_cast<std::uint64_t>(static_cast<double>(counted.entities) * share);
}

}  // namespace

Result<TableSize> size_of_table(const Store& store, const TableName& name, const KeyRanges& ranges, std::uint64_t limit,
                                ScanDeadline deadline) {
  RequestStats cost;
  cost.progress = [limit](const RequestStats& so_far) { return so_far.entities_scanned < limit; };
  const auto rest = store.scan({.table = name,
                                .ranges = ranges,
                                .page_size = std::numeric_limits<int>::max(),
                                .deadline = deadline,
                                .visit = [](const EntityView&) { return false; }},
                               cost);
  if (!rest) return rest.error();
  TableSize out{cost.entities_scanned, cost.bytes_read};
  if (!*rest) return out;
  out.is_exact = false;
  const auto more = estimate(store, name, out, ranges, **rest);
  const auto average = out.bytes / std::max<std::uint64_t>(out.entities, 1);
  out.entities += more;
  out.bytes += more * average;
  return out;
}

}  // namespace rocktable
