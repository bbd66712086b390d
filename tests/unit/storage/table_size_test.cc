// Counts and estimates of a table's entities.
#include "storage/table_size.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/storage/rocksdb/files.h"
#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr int kPartitions = 50;
constexpr int kRows = 100;

void fill(OpenedStore& store) {
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  for (int partition = 0; partition < kPartitions; ++partition) {
    std::vector<Mutation> rows;
    for (int row = 0; row < kRows; ++row) rows.push_back(insert(std::to_string(1000 + row)));
    committed(store, kTable, std::to_string(100 + partition), rows);
  }
}

// A store whose contents are in files. Before it is opened again, they are in a list of random heights, by which the
// embedded store knows numbers only roughly.
OpenedStore in_files(const TestStore& files, const std::function<void(OpenedStore&)>& write) {
  {
    OpenedStore store(files.options());
    write(store);
  }
  return OpenedStore(files.options());
}

TEST_CASE("a small table is counted") {
  OpenedStore store(test_store());
  fill(store);
  const auto size = size_of_table(store, kTable, all_keys(), 100'000, far_away()).value();
  CHECK(size.is_exact);
  CHECK(size.entities == kPartitions * kRows);
  CHECK(size.bytes > size.entities);
  const KeyRanges partition{{{"107", ""}, EntityKey{std::string("107\0", 4), ""}}};
  CHECK(size_of_table(store, kTable, partition, 100'000, far_away()).value().entities == kRows);
  CHECK(size_of_table(store, kTable, {}, 100'000, far_away()).value().entities == 0);
}

TEST_CASE("what is beyond the limit is estimated, within a half") {
  const TestStore files;
  const OpenedStore store = in_files(files, fill);
  for (const auto& [limit, deadline] : {std::pair(std::uint64_t{200}, far_away()), {100'000, passed()}}) {
    const auto size = size_of_table(store, kTable, all_keys(), limit, deadline).value();
    CHECK_FALSE(size.is_exact);
    CHECK(size.entities > kPartitions * kRows / 2);
    CHECK(size.entities < kPartitions * kRows * 2);
  }
}

TEST_CASE("versions that were written over do not count for the estimate") {
  const TestStore files;
  const OpenedStore store = in_files(files, [](OpenedStore& written) {
    fill(written);
    for (int version = 0; version < 5; ++version)
      for (int partition = 0; partition < kPartitions; ++partition) {
        std::vector<Mutation> rows;
        for (int row = 0; row < kRows; ++row) rows.push_back(upsert(std::to_string(1000 + row)));
        committed(written, kTable, std::to_string(100 + partition), rows);
      }
  });
  const auto size = size_of_table(store, kTable, all_keys(), 2000, far_away()).value();
  CHECK_FALSE(size.is_exact);
  CHECK(size.entities > kPartitions * kRows / 2);
  CHECK(size.entities < kPartitions * kRows * 2);
}

TEST_CASE("a table that does not exist has no size") {
  OpenedStore store(test_store());
  const auto size = size_of_table(store, kTable, all_keys(), 10, far_away());
  REQUIRE(size.has_error());
  CHECK(size.error().code == ErrorCode::TableNotFound);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
