// The .gitignore of the store and of its snapshots: written once, kept when folders are exchanged.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/folder_swap.h"
#include "storage/rocksdb/repair/repair.h"
#include "tests/unit/storage/contents.h"
#include "tests/unit/storage/rocksdb/fixtures/snapshots.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void check_ignored(const fs::path& folder) {
  CAPTURE(folder.string());
  CHECK(text_of(folder / ".gitignore") == "*\n");
}

fs::path snapshots_of(const StoreOptions& options) { return options.directory.string() + ".snapshots"; }

TEST_CASE("a store and its snapshots are ignored by git, from the first start on and after a restore") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  {
    OpenedStore store(options);
    check_ignored(options.directory);
    REQUIRE(store.create_table({"acct", "before"}).has_value());
    take(store, "one");
    check_ignored(snapshots_of(options));
    CHECK_FALSE(fs::exists(snapshots_of(options) / "one" / ".gitignore"));
    REQUIRE(store.create_table({"acct", "after"}).has_value());
    REQUIRE(store.restore_snapshot("one").has_value());
    check_ignored(options.directory);
    CHECK(names_of(store.snapshots()) == "one ");
    take(store, "one", true);
  }
  OpenedStore again(options);
  CHECK(again.count_tables(10) == 1);
  CHECK(beside(options) == std::vector<std::string>{"store", "store.snapshots"});
}

TEST_CASE("a missing .gitignore is written at the next start, and a changed one stays") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  {
    OpenedStore store(options);
    take(store, "one");
  }
  fs::remove(options.directory / ".gitignore");
  fs::remove(snapshots_of(options) / ".gitignore");
  {
    const OpenedStore store(options);
  }
  check_ignored(options.directory);
  check_ignored(snapshots_of(options));
  std::ofstream(options.directory / ".gitignore") << "mine\n";
  {
    const OpenedStore store(options);
  }
  CHECK(text_of(options.directory / ".gitignore") == "mine\n");
}

TEST_CASE("a repaired store has one, and so has what it was") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  {
    OpenedStore store(options);
    REQUIRE(store.create_table({"acct", "kept"}).has_value());
  }
  std::ofstream(options.directory / "CURRENT") << "nonsense\n";
  const RepairReport report = repair_store(options.directory, "acct");
  CHECK_FALSE(report.was_whole);
  check_ignored(options.directory);
  check_ignored(report.backup);
  OpenedStore repaired(options);
  CHECK(repaired.count_tables(10) == 1);
}

TEST_CASE("nothing is written through a link, into a folder that is not there, or where it cannot be") {
  const TemporaryFolder folder;
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / ".gitignore");
  keep_out_of_git(folder.path());
  CHECK_FALSE(fs::exists(folder.path() / "elsewhere"));
  keep_out_of_git(folder.path() / "absent");
  CHECK_FALSE(fs::exists(folder.path() / "absent"));
  keep_out_of_git("/proc");
  CHECK_FALSE(fs::exists("/proc/.gitignore"));
}

TEST_CASE("tables are counted over all accounts, up to a limit") {
  const TemporaryFolder folder;
  OpenedStore store(folder.store());
  CHECK(store.count_tables(10) == 0);
  for (const char* account : {"one", "two"})
    for (const char* table : {"aaa", "bbb", "ccc"}) REQUIRE(store.create_table({account, table}).has_value());
  CHECK(store.count_tables(10) == 6);
  CHECK(store.count_tables(6) == 6);
  CHECK(store.count_tables(4) == 4);
  REQUIRE(store.delete_table({"one", "aaa"}).has_value());
  CHECK(store.count_tables(10) == 5);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
