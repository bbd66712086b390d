// The row with the id of the contents. The batch that changes the contents also writes the new id, so that a crash
// leaves both or neither.
#include "storage/contents_id.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_state.h"

namespace rocktable {

std::string EmbeddedState::contents_id() const {
  const std::lock_guard lock(contents_mutex_);
  return contents_id_;
}

void EmbeddedState::read_contents_id() {
  const auto row = read_document(kContentsKey);
  contents_id_ = row && is_contents_id(*row) ? *row : new_contents_id();
  if (row == contents_id_) return;
  try {
    put_document(kContentsKey, contents_id_);
  } catch (const StoreFault&) {  // NOLINT(bugprone-empty-catch): on a full disk it lasts until the next start
  }
}

void EmbeddedState::put_new_contents_id(const Database& database, rocksdb::WriteBatch& batch) {
  check(batch.Put(database.catalog(), slice(kContentsKey), slice(new_contents_id())));
}

// Reads the row instead of keeping the new id, because the last of several concurrent batches wins.
void EmbeddedState::take_contents_id() {
  const std::lock_guard lock(contents_mutex_);
  if (auto row = read_document(kContentsKey)) contents_id_ = std::move(*row);
}

}  // namespace rocktable
