// Deletion of whole tables, accounts, and everything, in constant time for any number of entities.
//
// What says that a table is there and what is in it go in one batch, so that a crash leaves both or neither. A table that
// is emptied gets a new id: whoever reads the old one meanwhile finds out, and no row that is written can join it.
#include <rocksdb/convenience.h>

#include <algorithm>
#include <mutex>

#include "storage/rocksdb.h"
#include "storage/table_store_impl.h"

namespace rocktable {

// --- Rows --------------------------------------------------------------------------------------------------

// A range tombstone makes all reads slower, a little, until it is compacted away; thousands of them, as of a test suite
// that empties small tables all the time, would make themselves felt. So a few rows are deleted one by one.
void TableStore::Impl::Erasure::erase(rocksdb::ColumnFamilyHandle* family, const std::string& begin,
                                      const std::string& end) {
  constexpr std::size_t kFewRows = 200;
  constexpr std::uint64_t kManyDeleted = 10'000;  // in a row: then looking costs more than it saves
  const rocksdb::Slice begin_slice = slice(begin), end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  options.max_skippable_internal_keys = kManyDeleted;
  const std::unique_ptr<rocksdb::Iterator> rows(store_.db().NewIterator(options, family));
  std::vector<std::string> keys;
  for (rows->Seek(begin_slice); rows->Valid() && keys.size() <= kFewRows; rows->Next())
    keys.push_back(rows->key().ToString());
  // Also what cannot be read can be deleted.
  if (rows->status().ok() && keys.size() <= kFewRows) {
    for (const auto& key : keys) check(batch_.Delete(family, slice(key)));
    return;
  }
  check(batch_.DeleteRange(family, begin_slice, end_slice));
  if (family == store_.entities()) ranges_.emplace_back(begin, end);
}

// Neighbours go as one range.
void TableStore::Impl::Erasure::erase_tables(const std::vector<TableId>& ids) {
  for (std::size_t i = 0; i < ids.size();) {
    const auto first = static_cast<std::uint64_t>(ids[i]);
    std::size_t count = 1;
    while (i + count < ids.size() && static_cast<std::uint64_t>(ids[i + count]) == first + count) ++count;
    erase(store_.entities(), encode_table_prefix(ids[i]), encode_table_prefix(TableId{first + count}));
    i += count;
  }
}

// Whole files of the ranges go at once; compaction takes what shares a file with others. Files stay gone when the power
// fails, so the log that says why reaches the disk before: else the table would be back, with holes.
void TableStore::Impl::Erasure::write() {
  std::vector<rocksdb::RangePtr> with_files;
  std::vector<std::pair<rocksdb::Slice, rocksdb::Slice>> bounds;
  bounds.reserve(ranges_.size());  // pointed to
  for (const auto& [begin, end] : ranges_) {
    if (!store_.has_files({slice(begin), slice(end)})) continue;
    const auto& [first, last] = bounds.emplace_back(slice(begin), slice(end));
    with_files.emplace_back(&first, &last);
  }
  store_.write(batch_, !with_files.empty() && !store_.options_.in_memory);
  if (with_files.empty()) return;
  // The rows are gone already: files that cannot be dropped now are left to compaction.
  rocksdb::DeleteFilesInRanges(&store_.db(), store_.entities(), with_files.data(), with_files.size(), false)
      .PermitUncheckedError();
}

bool TableStore::Impl::has_files(const rocksdb::Range& range) const {
  std::uint64_t bytes = 0;
  check(db().GetApproximateSizes(rocksdb::SizeApproximationOptions(), entities(), &range, 1, &bytes));
  return bytes > 0;
}

// --- What there is to lose ---------------------------------------------------------------------------------

std::map<std::string, std::uint64_t> TableStore::Impl::table_counts() const {
  const std::string end(kTableRows.second);
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator(options, catalog()));
  std::map<std::string, std::uint64_t> out;
  for (rows->Seek(slice(kTableRows.first)); rows->Valid(); rows->Next())
    ++out[std::string(account_of_table_key(rows->key().ToStringView()))];
  check(rows->status());
  return out;
}

// --- Tables and accounts -----------------------------------------------------------------------------------

TableStore::Impl::TableLocks::TableLocks(const Impl& store, const std::vector<std::string>& keys)
    : store_(store) {
  for (const auto& key : keys) places_.insert(place_of(key));
  for (const auto place : places_) store_.table_locks_[place].lock();
}

TableStore::Impl::TableLocks::~TableLocks() {
  for (const auto place : places_) store_.table_locks_[place].unlock();
}

Result<void> TableStore::Impl::delete_table(const TableName& name) {
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(table_lock(key));
  const auto row = find_table(name);
  if (!row) return Error(ErrorCode::ResourceNotFound);
  Erasure erasure(*this);
  check(erasure.batch().Delete(catalog(), slice(key)));
  check(erasure.batch().Delete(catalog(), slice(encode_identifiers_key(row->id))));
  erasure.erase_tables({row->id});
  const TableRows::Change change(table_rows_, {&key, 1});
  erasure.write();
  return {};
}

Result<void> TableStore::Impl::reset_table(const TableName& name) {
  const std::string key = encode_table_key(name.account, name.table);
  const std::unique_lock lock(table_lock(key));
  const auto row = find_table(name);
  if (!row) return Error(ErrorCode::TableNotFound);
  const auto identifiers = read_document(encode_identifiers_key(row->id));
  const std::lock_guard ids(table_id_mutex_);
  const TableRow fresh{TableId{next_table_id_++}, row->created, row->name};
  Erasure erasure(*this);
  rocksdb::WriteBatch& batch = erasure.batch();
  check(batch.Put(catalog(), slice(key), slice(encode_table_row(fresh))));
  check(batch.Put(catalog(), slice(kNextTableIdKey), slice(encode_number(next_table_id_))));
  if (identifiers) {
    check(batch.Put(catalog(), slice(encode_identifiers_key(fresh.id)), slice(*identifiers)));
    check(batch.Delete(catalog(), slice(encode_identifiers_key(row->id))));
  }
  erasure.erase_tables({row->id});
  put_new_contents_id(*database_, batch);
  const TableRows::Change change(table_rows_, {&key, 1});
  erasure.write();
  take_contents_id();
  return {};
}

// A table that is created meanwhile is created afterwards.
void TableStore::Impl::reset_account(std::string_view account) {
  std::vector<std::string> keys;
  for_each_table(account, all_keys(), nullptr, [&](std::string_view key, const TableRow&) {
    keys.emplace_back(key);
    return true;
  });
  const TableLocks locks(*this, keys);
  Erasure erasure(*this);
  std::vector<TableId> ids;
  for (const auto& key : keys) {
    const auto row = read_table_row(key);
    if (!row) continue;
    ids.push_back(row->id);
    check(erasure.batch().Delete(catalog(), slice(key)));
    check(erasure.batch().Delete(catalog(), slice(encode_identifiers_key(row->id))));
  }
  check(erasure.batch().Delete(catalog(), slice(encode_properties_key(account))));
  std::sort(ids.begin(), ids.end());
  erasure.erase_tables(ids);
  put_new_contents_id(*database_, erasure.batch());
  const TableRows::Change change(table_rows_, keys);
  erasure.write();
  take_contents_id();
}

// The clock and the next id stay: nothing that was ever handed out comes again.
void TableStore::Impl::reset() {
  const Gate::Closed alone(gate_, kDrainTime);
  Erasure erasure(*this);
  for (const auto& [begin, end] : kAccountRows)
    erasure.erase(catalog(), std::string(begin), std::string(end));
  // Ranges of one reset after the other do not overlap: that would be dear.
  erasure.erase(entities(), encode_table_prefix(TableId{first_table_id_}),
                encode_table_prefix(TableId{next_table_id_}));
  put_new_contents_id(*database_, erasure.batch());
  erasure.write();
  take_contents_id();
  first_table_id_ = next_table_id_;
  table_rows_.clear();
}

}  // namespace rocktable
