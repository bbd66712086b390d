// The row in the catalog changes in the batch that changes the contents: after a crash both are there, or neither.
#include "storage/contents_id.h"

#include <random>

#include "storage/rocksdb.h"
#include "storage/table_store_impl.h"

namespace rocktable {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kLength = 32;

}  // namespace

std::string new_contents_id() {
  std::random_device random;
  std::string out;
  while (out.size() < kLength) {
    auto bits = random();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) out += kDigits[bits & 0xFu];
  }
  return out;
}

bool is_contents_id(std::string_view text) {
  return text.size() == kLength && text.find_first_not_of(kDigits) == text.npos;
}

std::string TableStore::Impl::contents_id() const {
  const std::lock_guard lock(contents_mutex_);
  return contents_id_;
}

void TableStore::Impl::read_contents_id() {
  const auto row = read_document(kContentsKey);
  contents_id_ = row && is_contents_id(*row) ? *row : new_contents_id();
  if (row == contents_id_) return;
  try {
    put_document(kContentsKey, contents_id_);
  } catch (const StoreFault&) {  // NOLINT(bugprone-empty-catch): on a full disk it lasts until the next start
  }
}

void TableStore::Impl::put_new_contents_id(const Database& database, rocksdb::WriteBatch& batch) {
  check(batch.Put(database.catalog(), slice(kContentsKey), slice(new_contents_id())));
}

// Reads the row: of several batches that are written side by side, the last one counts.
void TableStore::Impl::take_contents_id() {
  const std::lock_guard lock(contents_mutex_);
  if (auto row = read_document(kContentsKey)) contents_id_ = std::move(*row);
}

}  // namespace rocktable
