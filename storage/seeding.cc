// The tables that an empty store begins with. Entities are written as a clone's
// are: under ids of tables that nobody knows yet, so that all tables appear in
// one batch, and what an end of the process leaves of them is swept at the next
// start.
#include <mutex>
#include <unordered_set>

#include "storage/entity_codec.h"
#include "storage/rocksdb.h"
#include "storage/table_store_impl.h"

namespace rocktable {

// Rows of one table on their way, a batch at a time.
class TableStore::Impl::SeedWriter {
 public:
  SeedWriter(Impl &store, TableId table) : store_(store), table_(table) {}

  // False where there is one with these keys.
  bool put(const Entity &entity) {
    std::string key = encode_entity_key(table_, entity.key.partition_key, entity.key.row_key);
    if (keys_.contains(key) || is_stored(key)) return false;
    record_.clear();
    encode_entity(record_, store_.clock_->next(), entity.properties);
    check(batch_.Put(store_.entities(), slice(key), slice(record_)));
    keys_.insert(std::move(key));
    if (batch_.GetDataSize() >= kBatchBytes) flush();
    return true;
  }

  void flush() {
    if (batch_.Count() == 0) return;
    rocksdb::WriteOptions unsynced = store_.write_options_;
    unsynced.sync = false;  // the last batch of the seed syncs them all
    store_.write(batch_, unsynced);
    batch_.Clear();
    keys_.clear();
  }

 private:
  static constexpr std::size_t kBatchBytes = 1 << 20;

  bool is_stored(const std::string &key) const {
    rocksdb::PinnableSlice record;
    const auto status = store_.db().Get({}, store_.entities(), slice(key), &record);
    if (status.IsNotFound()) return false;
    check(status);
    return true;
  }

  Impl &store_;
  TableId table_;
  rocksdb::WriteBatch batch_;
  std::unordered_set<std::string> keys_;  // of the batch
  std::string record_;
};

bool TableStore::Impl::is_empty() const {
  const std::string end(kTableRows.second);
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator(options, catalog()));
  rows->Seek(slice(kTableRows.first));
  check(rows->status());
  return !rows->Valid();
}

// Returns how many. Errors: EntityAlreadyExists.
Result<std::uint64_t> TableStore::Impl::fill_table(TableId id,
                                                   const std::function<std::optional<Entity>()> &next) {
  SeedWriter writer(*this, id);
  std::uint64_t count = 0;
  while (const auto entity = next()) {
    if (!writer.put(*entity)) return Error(ErrorCode::EntityAlreadyExists);
    ++count;
  }
  writer.flush();
  return count;
}

Result<void> TableStore::Impl::finish_seed(const std::vector<SeedTable> &tables, TableId first) {
  std::vector<std::string> keys;
  for (const SeedTable &table : tables) keys.push_back(encode_table_key(table.account, table.name));
  const TableLocks locks(*this, keys);
  rocksdb::WriteBatch batch;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (read_table_row(keys[i])) return Error(ErrorCode::TableAlreadyExists);
    const TableRow row{TableId{static_cast<std::uint64_t>(first) + i}, clock_->next(), tables[i].name};
    check(batch.Put(catalog(), slice(keys[i]), slice(encode_table_row(row))));
  }
  check(batch.Delete(catalog(), slice(encode_clone_key(first))));
  write(batch);
  return {};
}

Result<SeedCount> TableStore::Impl::fill_and_finish(const std::vector<SeedTable> &tables, TableId first) {
  SeedCount count{tables.size(), 0};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto entities = fill_table(TableId{static_cast<std::uint64_t>(first) + i}, tables[i].next);
    if (!entities) return entities.error();
    count.entities += *entities;
  }
  if (auto finished = finish_seed(tables, first); !finished) return finished.error();
  return count;
}

Result<SeedCount> TableStore::Impl::seed(const std::vector<SeedTable> &tables) {
  const TableId first = begin_clone(tables.size());
  try {
    auto count = fill_and_finish(tables, first);
    if (!count) abandon_clone(first, tables.size());
    return count;
  } catch (const std::exception &) {
    try {
      abandon_clone(first, tables.size());
    } catch (const StoreFault &) {  // NOLINT(bugprone-empty-catch): the next start sweeps it
    }
    throw;
  }
}

}  // namespace rocktable
