// Deletes rows of tables in constant time for any number of entities.
#include <rocksdb/convenience.h>

#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_state.h"

namespace rocktable {

// Deletes up to 200 rows one by one. A range tombstone slows down all reads slightly until it is compacted
// away, and a test suite that empties small tables all the time would leave thousands of them.
void EmbeddedState::Erasure::erase(rocksdb::ColumnFamilyHandle* family, const std::string& begin,
                                   const std::string& end) {
  constexpr std::size_t kFewRows = 200;
  constexpr std::uint64_t kManyDeleted =
      10'000;  // consecutive deleted rows, after which looking for rows costs more than it saves
  const rocksdb::Slice begin_slice = slice(begin), end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  options.max_skippable_internal_keys = kManyDeleted;
  const std::unique_ptr<rocksdb::Iterator> rows(store_.db().NewIterator(options, family));
  std::vector<std::string> keys;
  for (rows->Seek(begin_slice); rows->Valid() && keys.size() <= kFewRows; rows->Next())
    keys.push_back(rows->key().ToString());
  // Rows that cannot be read are deleted as a range.
  if (rows->status().ok() && keys.size() <= kFewRows) {
    for (const auto& key : keys) check(batch_.Delete(family, slice(key)));
    return;
  }
  check(batch_.DeleteRange(family, begin_slice, end_slice));
  if (family == store_.entities()) ranges_.emplace_back(begin, end);
}

// Deletes adjacent ids as one range.
void EmbeddedState::Erasure::erase_tables(const std::vector<TableId>& ids) {
  for (std::size_t i = 0; i < ids.size();) {
    const auto first = static_cast<std::uint64_t>(ids[i]);
    std::size_t count = 1;
    while (i + count < ids.size() && static_cast<std::uint64_t>(ids[i + count]) == first + count) ++count;
    erase(store_.entities(), encode_table_prefix(ids[i]), encode_table_prefix(TableId{first + count}));
    i += count;
  }
}

// Drops whole files of the ranges at once; compaction removes the rows in files that the ranges share with
// others. Dropped files stay dropped after a power failure, so the log with the deletion is synced first.
// Otherwise the table would reappear with rows missing.
void EmbeddedState::Erasure::write() {
  std::vector<rocksdb::RangePtr> with_files;
  std::vector<std::pair<rocksdb::Slice, rocksdb::Slice>> bounds;
  bounds.reserve(ranges_.size());  // with_files points to the elements
  for (const auto& [begin, end] : ranges_) {
    if (!store_.has_files({slice(begin), slice(end)})) continue;
    const auto& [first, last] = bounds.emplace_back(slice(begin), slice(end));
    with_files.emplace_back(&first, &last);
  }
  store_.write(batch_, !with_files.empty() && !store_.options_.in_memory);
  if (with_files.empty()) return;
  // The rows are deleted already. Compaction removes files that cannot be dropped now.
  rocksdb::DeleteFilesInRanges(&store_.db(), store_.entities(), with_files.data(), with_files.size(), false)
      .PermitUncheckedError();
}

bool EmbeddedState::has_files(const rocksdb::Range& range) const {
  std::uint64_t bytes = 0;
  check(db().GetApproximateSizes(rocksdb::SizeApproximationOptions(), entities(), &range, 1, &bytes));
  return bytes > 0;
}

}  // namespace rocktable
