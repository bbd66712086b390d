#include "storage/table_size.h"

#include <algorithm>
#include <limits>

#include "storage/rocks_store.h"
#include "storage/rocksdb.h"
#include "storage/table_store.h"

namespace rocktable {

// Returns 0 if there is no such table.
std::uint64_t RocksStore::approximate_bytes(const TableName& name, const KeyRanges& ranges) const {
  const Gate::Pass pass(gate());
  const auto table = find_table(name);
  if (!table) return 0;
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  std::uint64_t out = 0;
  for (const KeyRange& range : ranges) {
    const std::string begin = encode_bound(table->id, range.begin);
    const std::string end = range.end ? encode_bound(table->id, *range.end) : encode_table_end(table->id);
    const rocksdb::Range bounds{slice(begin), slice(end)};
    std::uint64_t bytes = 0;
    check(db().GetApproximateSizes(options, entities(), &bounds, 1, &bytes));
    out += bytes;
  }
  return out;
}

Result<TableSize> size_of_table(const TableStore& store, const TableName& name, const KeyRanges& ranges,
                                std::uint64_t most, ScanDeadline deadline) {
  RequestStats cost;
  cost.progress = [most](const RequestStats& so_far) { return so_far.entities_scanned < most; };
  const auto rest = store.scan(
      name, ranges, std::numeric_limits<int>::max(), deadline, [](const EntityView&) { return false; },
      &cost);
  if (!rest) return rest.error();
  TableSize out{cost.entities_scanned, cost.bytes_read};
  if (!*rest) return out;
  out.is_exact = false;
  const auto average = std::max<std::uint64_t>(out.bytes / std::max<std::uint64_t>(out.entities, 1), 1);
  out.bytes = std::max(out.bytes, store.rocks().approximate_bytes(name, ranges));
  out.entities = std::max(out.entities, out.bytes / average);
  return out;
}

}  // namespace rocktable
