// Tables: created, deleted and created again; signed identifiers and service properties.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/storage/store.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_literals;

// Returns the size of all files. A file that is deleted meanwhile counts 0.
std::uintmax_t bytes_in(const std::filesystem::path& folder) {
  std::uintmax_t out = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::error_code gone;
    const auto size = file.file_size(gone);
    if (!gone) out += size;
  }
  return out;
}

TEST_CASE("a deleted table is created again empty, and adjacent tables stay whole") {
  const TestStore place;
  const TableName before{"acct", "before"}, behind{"acct", "behind"}, elsewhere{"acct2", "table"};
  auto store = std::make_unique<OpenedStore>(place.options());
  for (const TableName& name : {before, kTable, behind, elsewhere})
    REQUIRE(outcome(store->create_table(name)) == "done");
  // Several files, some of one table and some of several: whole files are dropped, rows of shared files are
  // deleted.
  for (int round = 0; round < 6; ++round) {
    for (const TableName& name : {before, kTable, behind, elsewhere}) {
      std::vector<Mutation> writes;
      writes.reserve(100);
      for (int row = 0; row < 100; ++row)
        writes.push_back(upsert(std::to_string(1000 * round + row), {{"b", Binary{std::string(2000, 'x')}}}));
      committed(*store, name, std::string("p\xEF\xBF\xBF") + std::to_string(round), writes);
    }
    store.reset();
    store = std::make_unique<OpenedStore>(place.options());
  }
  const auto neighbours = [&] {
    std::vector<std::vector<Entity>> out;
    for (const TableName& name : {before, behind, elsewhere}) out.push_back(entities_in(*store, name));
    return out;
  };
  const auto whole = neighbours();
  CHECK(whole[0].size() == 600);

  for (int again = 0; again < 3; ++again) {
    CAPTURE(again);
    REQUIRE(outcome(store->delete_table(kTable)) == "done");
    CHECK_FALSE(store->get_table(kTable).has_value());
    CHECK(outcome(store->delete_table(kTable)) == "ResourceNotFound");
    REQUIRE(outcome(store->create_table(kTable)) == "done");
    CHECK(entities_in(*store, kTable).empty());
    CHECK_FALSE(entity_at(*store, kTable, {"p\xEF\xBF\xBF"s + "0", "0"}).has_value());
    CHECK(neighbours() == whole);
    committed(*store, kTable, "new", {insert("new")});
    store.reset();
    store = std::make_unique<OpenedStore>(place.options());
    CHECK(entities_in(*store, kTable).size() == 1);
    CHECK(neighbours() == whole);
  }
}

TEST_CASE("a table keeps the case of its creation and the time of it") {
  const TestStore place;
  auto store = std::make_unique<OpenedStore>(place.options());
  const DateTime before = now();
  REQUIRE(outcome(store->create_table({"acct", "MyTable"})) == "done");
  const Table created = store->get_table({"acct", "mytable"}).value();
  CHECK(created.name == "MyTable");
  CHECK(before <= created.created);
  CHECK(outcome(store->create_table({"acct", "MYTABLE"})) == "TableAlreadyExists");
  CHECK_FALSE(store->get_table({"acct2", "MyTable"}).has_value());
  store.reset();
  store = std::make_unique<OpenedStore>(place.options());
  const Table reopened = store->get_table({"acct", "MYTABLE"}).value();
  CHECK(reopened.name == "MyTable");
  CHECK(reopened.created == created.created);
}

TEST_CASE("a table larger than the memory for writes is deleted as a whole") {
  for (const bool kept : kept_or_not()) {
    CAPTURE(kept);
    const TestStore place(kept);
    const StoreOptions& options = place.options();
    const TableName behind{"acct", "behind"};
    auto store = std::make_unique<OpenedStore>(options);
    for (const TableName& name : {kTable, behind}) REQUIRE(outcome(store->create_table(name)) == "done");
    committed(*store, behind, "p", {insert("r")});
    for (int partition = 0; partition < 16; ++partition) {
      std::vector<Mutation> writes;
      writes.reserve(80);
      for (int row = 0; row < 80; ++row)
        writes.push_back(insert(std::to_string(row), {{"b", Binary{std::string(60'000, 'x')}}}));
      committed(*store, kTable, std::to_string(partition), writes);
    }
    if (kept) {
      store.reset();
      store = std::make_unique<OpenedStore>(options);
    }
    CHECK(outcome(store->delete_table(kTable)) == "done");
    REQUIRE(outcome(store->create_table(kTable)) == "done");
    CHECK(entities_in(*store, kTable).empty());
    CHECK(entities_in(*store, behind).size() == 1);
    if (!kept || is_in_database()) continue;
    // Files are removed in the background; those left when the store closes, after the next start.
    store.reset();
    store = std::make_unique<OpenedStore>(options);
    CHECK(wait_until([&] { return bytes_in(options.directory) <= (10 << 20); }));
  }
}

TEST_CASE("a table's signed identifiers are deleted with the table") {
  const TestStore place;
  const TableName other{"acct", "other"};
  auto store = std::make_unique<OpenedStore>(place.options());
  CHECK(outcome(store->set_signed_identifiers(kTable, "x")) == "TableNotFound");
  CHECK(store->signed_identifiers(kTable).error().code == ErrorCode::TableNotFound);
  for (const TableName& name : {kTable, other}) REQUIRE(outcome(store->create_table(name)) == "done");
  CHECK(store->signed_identifiers(kTable).value() == "");
  for (const std::string_view document : {"one", "another", ""}) {
    CHECK(outcome(store->set_signed_identifiers(kTable, document)) == "done");
    CHECK(store->signed_identifiers({"acct", "TABLE"}).value() == document);
  }
  CHECK(outcome(store->set_signed_identifiers(kTable, "of table")) == "done");
  CHECK(outcome(store->set_signed_identifiers(other, "of other")) == "done");
  store.reset();
  store = std::make_unique<OpenedStore>(place.options());
  CHECK(store->signed_identifiers(kTable).value() == "of table");
  REQUIRE(outcome(store->delete_table(kTable)) == "done");
  REQUIRE(outcome(store->create_table(kTable)) == "done");
  CHECK(store->signed_identifiers(kTable).value() == "");
  CHECK(store->signed_identifiers(other).value() == "of other");
}

TEST_CASE("each account has its service properties") {
  const TestStore place;
  auto store = std::make_unique<OpenedStore>(place.options());
  CHECK_FALSE(store->service_properties("acct").has_value());
  store->set_service_properties("acct", "first");
  store->set_service_properties("acct", "second");
  store->set_service_properties("acct1", "");
  store.reset();
  store = std::make_unique<OpenedStore>(place.options());
  CHECK(store->service_properties("acct") == "second");
  CHECK(store->service_properties("acct1") == "");
  CHECK_FALSE(store->service_properties("acc").has_value());
}

TEST_CASE("a list of tables visits only the requested names, and resumes at one of them") {
  OpenedStore store(test_store());
  for (const char* name : {"a1", "Ab1", "ab2", "AB3", "b1", "z1"})
    REQUIRE(outcome(store.create_table({"acct", name})) == "done");
  for (const std::string_view neighbour : {"acc", "acct0", "acct1"})
    REQUIRE(outcome(store.create_table({neighbour, "ab9"})) == "done");
  const auto listed = [&](const KeyRanges& names, int page_size) {
    std::string out;
    const auto next = store.list_tables("acct", names, page_size, [&](const Table& table) {
      out += table.name + " ";
      return true;
    });
    return out + (next ? "then " + next->name : "end");
  };
  const KeyRanges prefix{{{"ab", ""}, EntityKey{"ab{", ""}}};
  CHECK(listed(all_keys(), 1000) == "a1 Ab1 ab2 AB3 b1 z1 end");
  CHECK(listed(prefix, 1000) == "Ab1 ab2 AB3 end");
  CHECK(listed(prefix, 2) == "Ab1 ab2 then AB3");
  CHECK(listed(prefix, 3) == "Ab1 ab2 AB3 end");  // other tables follow that were not asked for
  const KeyRanges two{{{"a1", ""}, EntityKey{"a1\0"s, ""}}, {{"b", ""}, EntityKey{"c", ""}}};
  CHECK(listed(two, 1) == "a1 then b1");
  CHECK(listed(two, 2) == "a1 b1 end");
  CHECK(listed({{{"c", ""}, std::nullopt}}, 1) == "z1 end");
  CHECK(listed({}, 1) == "end");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
