// A copy of an account under another name: its tables with their entities, their access policies, its service
// properties.
//
// Entities are copied first, under ids of tables that nobody knows yet; a row of the catalog says which, so that what an
// end of the process leaves of them is swept at the next start. Then one batch makes them tables of the new account.
#include <rocksdb/snapshot.h>

#include <algorithm>
#include <mutex>

#include "storage/rocksdb.h"
#include "storage/table_store_impl.h"

namespace rocktable {

// The account that is copied, as one snapshot of the database has it.
struct TableStore::Impl::Template {
  struct OneTable {
    std::string key;
    TableRow row;
    std::optional<std::string> identifiers;
  };

  std::vector<OneTable> tables;
  std::optional<std::string> properties;
};

namespace {

std::string in_account(std::string_view account, const std::string& table_key) {
  return encode_account_prefix(account) + table_key.substr(table_key.find('\0') + 1);
}

TableId operator+(TableId first, std::size_t offset) {
  return TableId{static_cast<std::uint64_t>(first) + offset};
}

}  // namespace

std::optional<TableStore::Impl::Template> TableStore::Impl::read_template(
    std::string_view account, const rocksdb::Snapshot& snapshot) const {
  rocksdb::ReadOptions options;
  options.snapshot = &snapshot;
  const auto document = [&](const std::string& key) -> std::optional<std::string> {
    std::string bytes;
    const auto status = db().Get(options, catalog(), slice(key), &bytes);
    if (status.IsNotFound()) return std::nullopt;
    check(status);
    return bytes;
  };
  Template out;
  for_each_table(account, all_keys(), &snapshot, [&](std::string_view key, TableRow row) {
    auto identifiers = document(encode_identifiers_key(row.id));
    out.tables.push_back({std::string(key), std::move(row), std::move(identifiers)});
    return true;
  });
  if (out.tables.empty()) return std::nullopt;
  out.properties = document(encode_properties_key(account));
  return out;
}

TableId TableStore::Impl::begin_clone(std::size_t tables) {
  const std::lock_guard ids(table_id_mutex_);
  const TableId first{next_table_id_};
  next_table_id_ += tables;
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog(), slice(kNextTableIdKey), slice(encode_number(next_table_id_))));
  check(batch.Put(catalog(), slice(encode_clone_key(first)), slice(encode_number(tables))));
  write(batch);
  return first;
}

// Returns how many. Throws ServiceException: ServerBusy, where the gate is to be closed.
std::uint64_t TableStore::Impl::copy_entities(TableId from, TableId to, const rocksdb::Snapshot& snapshot) {
  constexpr std::size_t kBatchBytes = 1 << 20;
  rocksdb::WriteOptions unsynced = write_options_;
  unsynced.sync = false;  // the last batch of the clone syncs them all
  const std::string end = encode_table_end(from), new_prefix = encode_table_prefix(to);
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.snapshot = &snapshot;
  options.iterate_upper_bound = &end_slice;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator(options, entities()));
  std::uint64_t count = 0;
  std::string key;
  rocksdb::WriteBatch batch;
  for (rows->Seek(slice(encode_table_prefix(from))); rows->Valid(); rows->Next(), ++count) {
    key = new_prefix;
    key += view(rows->key()).substr(new_prefix.size());
    check(batch.Put(entities(), slice(key), rows->value()));
    if (batch.GetDataSize() < kBatchBytes) continue;
    write(batch, unsynced);
    batch.Clear();
    if (gate_.is_pressing()) throw ServiceException(ErrorCode::ServerBusy);
  }
  check(rows->status());
  if (batch.Count() > 0) write(batch, unsynced);
  return count;
}

// False where a table of the template is not what it was: then rows of it may have been missing from the copy.
Result<bool> TableStore::Impl::finish_clone(const Template& source, TableId first, std::string_view to) {
  const std::lock_guard one_by_one(finishing_clones_);
  std::vector<std::string> old_keys, new_keys, all_keys;
  for (const auto& table : source.tables) {
    old_keys.push_back(table.key);
    new_keys.push_back(in_account(to, table.key));
  }
  all_keys = old_keys;
  all_keys.insert(all_keys.end(), new_keys.begin(), new_keys.end());
  const TableLocks locks(*this, all_keys);
  if (has_tables(to)) return Error(ErrorCode::TableAlreadyExists);
  const bool unchanged = std::all_of(source.tables.begin(), source.tables.end(), [&](const auto& table) {
    const auto now = read_table_row(table.key);
    return now && now->id == table.row.id;
  });
  if (!unchanged) return false;

  rocksdb::WriteBatch batch;
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    TableRow row = source.tables[i].row;
    row.id = first + i;
    check(batch.Put(catalog(), slice(new_keys[i]), slice(encode_table_row(row))));
    if (const auto& identifiers = source.tables[i].identifiers)
      check(batch.Put(catalog(), slice(encode_identifiers_key(row.id)), slice(*identifiers)));
  }
  const std::string properties_key = encode_properties_key(to);
  check(source.properties ? batch.Put(catalog(), slice(properties_key), slice(*source.properties))
                          : batch.Delete(catalog(), slice(properties_key)));
  check(batch.Delete(catalog(), slice(encode_clone_key(first))));
  write(batch);
  return true;
}

void TableStore::Impl::abandon_clone(TableId first, std::size_t tables) {
  Erasure erasure(*this);
  erasure.erase(entities(), encode_table_prefix(first), encode_table_prefix(first + tables));
  check(erasure.batch().Delete(catalog(), slice(encode_clone_key(first))));
  erasure.write();
}

void TableStore::Impl::sweep_unfinished_clones() {
  std::vector<std::pair<TableId, std::uint64_t>> unfinished;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator({}, catalog()));
  for (rows->Seek(slice(kCloneTag)); rows->Valid() && rows->key().starts_with(slice(kCloneTag)); rows->Next())
    unfinished.emplace_back(decode_clone_key(view(rows->key())), decode_number(view(rows->value())));
  check(rows->status());
  for (const auto& [first, tables] : unfinished) abandon_clone(first, tables);
}

Result<AccountClone> TableStore::Impl::clone_account(std::string_view from, std::string_view to) {
  constexpr int kTries = 3;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (has_tables(to)) return Error(ErrorCode::TableAlreadyExists);
    rocksdb::ManagedSnapshot snapshot(&db());
    const auto source = read_template(from, *snapshot.snapshot());
    if (!source) return Error(ErrorCode::ResourceNotFound);
    const std::size_t tables = source->tables.size();
    const TableId first = begin_clone(tables);
    try {
      AccountClone out{tables, 0};
      for (std::size_t i = 0; i < tables; ++i)
        out.entities += copy_entities(source->tables[i].row.id, first + i, *snapshot.snapshot());
      const auto finished = finish_clone(*source, first, to);
      if (finished && *finished) return out;
      abandon_clone(first, tables);
      if (!finished) return finished.error();
    } catch (const std::exception&) {
      try {
        abandon_clone(first, tables);
      } catch (const StoreFault&) {  // NOLINT(bugprone-empty-catch): the next start sweeps it
      }
      throw;
    }
  }
  return Error(ErrorCode::ServerBusy);
}

}  // namespace rocktable
