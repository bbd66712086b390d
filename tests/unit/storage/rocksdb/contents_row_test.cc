// The row of the catalog that keeps the id of the contents.
#include <doctest/doctest.h>

#include <string>

#include "storage/contents_id.h"
#include "storage/rocksdb/format/catalog_codec.h"
#include "storage/rocksdb/repair/repair.h"
#include "tests/unit/storage/rocksdb/files.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {

std::string id_in(const StoreOptions& options) {
  OpenedStore store(options);
  return store.contents_id();
}

TEST_CASE("a damaged id of the contents is replaced at the next start, and a repaired store has a new one") {
  const TemporaryFolder folder;
  const std::string before = id_in(folder.store());
  change(folder.store(), put(1, kContentsKey, "damaged"));
  const std::string after = id_in(folder.store());
  CHECK(is_contents_id(after));
  CHECK(after != before);
  change(folder.store(), put(1, kClockKey, "damaged"));
  CHECK_FALSE(repair_store(folder.store().directory, "account").was_whole);
  CHECK(id_in(folder.store()) != after);
}

}  // namespace rocktable::TEST_FILE
