#include "storage/table_size.h"

#include <algorithm>
#include <limits>

#include "storage/store.h"

namespace rocktable {

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
  const auto average = std::max<std::uint64_t>(out.bytes / std::max<std::uint64_t>(out.entities, 1), 1);
  out.bytes = std::max(out.bytes, store.approximate_bytes(name, ranges));
  out.entities = std::max(out.entities, out.bytes / average);
  return out;
}

}  // namespace rocktable
