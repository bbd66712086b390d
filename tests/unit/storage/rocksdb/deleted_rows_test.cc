// The space of deleted rows.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/storage/rocksdb/fixtures/snapshots.h"
#include "tests/unit/storage/store.h"
#include "tests/unit/support/temporary_folder.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

std::uintmax_t bytes_of_tables(const std::filesystem::path& store) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(store))
    if (std::error_code gone; file.path().extension() == ".sst") {
      const std::uintmax_t size = file.file_size(gone);
      if (!gone) bytes += size;
    }
  return bytes;
}

TEST_CASE("the space of deleted rows is freed without further writes") {
  constexpr int kRows = 4000;
  const TemporaryFolder folder;
  OpenedStore store(folder.store());
  REQUIRE(store.create_table(kTable).has_value());
  const std::string text(1000, 'x');
  std::vector<Mutation> inserts, removals;
  for (int row = 0; row < kRows; ++row) {
    inserts.push_back(insert("row" + std::to_string(row), {{"text", text}}));
    removals.push_back(remove("row" + std::to_string(row)));
  }
  committed(store, kTable, "p", inserts);
  take(store, "full");  // writes the rows to files
  const std::uintmax_t full = bytes_of_tables(folder.store().directory);
  REQUIRE(full > kRows * text.size());
  committed(store, kTable, "p", removals);
  take(store, "empty");
  CHECK(wait_until([&] { return bytes_of_tables(folder.store().directory) <= full / 4; }));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
