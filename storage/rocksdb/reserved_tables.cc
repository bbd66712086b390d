// Table ids whose entities are written before their tables exist: of clones and seeds.
#include <mutex>

#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_state.h"

namespace rocktable {

TableId EmbeddedState::reserve_tables(std::size_t tables) {
  const std::lock_guard ids(table_id_mutex_);
  const TableId first{next_table_id_};
  next_table_id_ += tables;
  rocksdb::WriteBatch batch;
  check(batch.Put(catalog(), slice(kNextTableIdKey), slice(encode_number(next_table_id_))));
  check(batch.Put(catalog(), slice(encode_clone_key(first)), slice(encode_number(tables))));
  write(batch);
  return first;
}

void EmbeddedState::discard_reserved_tables(TableId first, std::size_t tables) {
  Erasure erasure(*this);
  erasure.erase(entities(), encode_table_prefix(first), encode_table_prefix(first + tables));
  check(erasure.batch().Delete(catalog(), slice(encode_clone_key(first))));
  erasure.write();
}

void EmbeddedState::try_to_discard_reserved_tables(TableId first, std::size_t tables) {
  try {
    discard_reserved_tables(first, tables);
  } catch (const StoreFault&) {  // NOLINT(bugprone-empty-catch): the next start sweeps them
  }
}

void EmbeddedState::sweep_reserved_tables() {
  std::vector<std::pair<TableId, std::uint64_t>> unfinished;
  const std::unique_ptr<rocksdb::Iterator> rows(db().NewIterator({}, catalog()));
  for (rows->Seek(slice(kCloneTag)); rows->Valid() && rows->key().starts_with(slice(kCloneTag)); rows->Next())
    unfinished.emplace_back(decode_clone_key(view(rows->key())), decode_number(view(rows->value())));
  check(rows->status());
  for (const auto& [first, tables] : unfinished) discard_reserved_tables(first, tables);
}

}  // namespace rocktable
