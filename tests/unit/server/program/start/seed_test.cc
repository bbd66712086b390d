// Mapping of the files of a seed to tables and accounts.
#include "server/program/start/seed.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

class SeedFolder {
 public:
  void add(const std::string& name) const {
    const auto file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "PartitionKey,RowKey\n";
  }
  std::filesystem::path path(const std::string& name = "") const { return folder_.path() / name; }

  // `ACCOUNT/TABLE` of each file, or the error message.
  std::string found(const std::string& name = "", const std::string& account = "devstoreaccount1") {
    std::string out;
    skipped.clear();
    const Seed seed{name.empty() ? folder_.path() : folder_.path() / name, account};
    try {
      for (const SeedFile& file : find_seed_files(seed, [&](const std::string& text) { skipped += text; }))
        out += (out.empty() ? "" : " ") + file.account + "/" + file.table;
    } catch (const std::runtime_error& error) {
      out = error.what();
    }
    return out;
  }

  std::string skipped;

 private:
  TemporaryFolder folder_;
};

bool contains(const std::string& text, std::string_view piece) { return text.find(piece) != text.npos; }

}  // namespace

TEST_CASE("a file is a table, a folder one table per file, a nested folder an account") {
  SeedFolder folder;
  folder.add("customers.ndjson");
  folder.add("Orders.CSV");
  folder.add("template/lines.jsonl");
  CHECK(folder.found() == "devstoreaccount1/customers devstoreaccount1/Orders template/lines");
  CHECK(folder.found("", "mine") == "mine/customers mine/Orders template/lines");
  CHECK(folder.found("Orders.CSV", "mine") == "mine/Orders");
  CHECK(folder.found("template") == "devstoreaccount1/lines");
  CHECK(folder.skipped.empty());
}

TEST_CASE("hidden files are skipped silently, others with a warning") {
  SeedFolder folder;
  folder.add(".git/customers.csv");
  folder.add(".hidden.csv");
  folder.add("customers.csv");
  folder.add("README.md");
  folder.add("template/deeper/customers.csv");
  CHECK(folder.found() == "devstoreaccount1/customers");
  CHECK(contains(folder.skipped, "README.md is skipped: its name does not end in .ndjson, .jsonl or .csv"));
  CHECK(contains(folder.skipped, "deeper is skipped"));
  CHECK_FALSE(contains(folder.skipped, "hidden"));
}

TEST_CASE("errors name the file that cannot be seeded") {
  SeedFolder folder;
  folder.add("nothing/README.md");
  folder.add("no-name/a-b.csv");
  folder.add("short/ab.csv");
  folder.add("reserved/tables.csv");
  folder.add("twice/a/customers.csv");
  folder.add("account/Not-One/customers.csv");
  CHECK(contains(folder.found("nothing"), "nothing contains no tables: name files TABLE.ndjson or TABLE.csv"));
  CHECK(contains(folder.found("nothing/README.md"), "README.md contains no tables"));
  CHECK(contains(folder.found("absent"), "absent cannot be read: "));
  CHECK(contains(folder.found("no-name"), "a-b.csv must be named after a table, but \"a-b\" is not a table name"));
  CHECK(contains(folder.found("short"), "\"ab\" is not a table name"));
  CHECK(contains(folder.found("reserved"), "\"tables\" is not a table name"));
  CHECK(contains(folder.found("account"), "Not-One must be named after an account, but its name is not"));
  folder.add("same/customers.csv");
  folder.add("same/CUSTOMERS.ndjson");
  CHECK(contains(folder.found("same"), " is for the same table as "));
}

TEST_CASE("a seed for an account that does not exist is refused") {
  SeedFolder folder;
  folder.add("template/customers.csv");
  OpenedStore store({{}, true, false});
  const auto tell = [](const std::string&) {};
  CHECK_THROWS_WITH(seed_store(store, {folder.path()}, Accounts{{"mine", {"a2V5"}}}, tell),
                    doctest::Contains("customers.csv is for the account template, which does not exist"));
  CHECK(store.is_empty());
  CHECK(seed_store(store, {folder.path()}, Accounts({}, true), tell) ==
        "seeded 1 table with 0 entities from " + folder.path().string());
  std::string told;
  CHECK(seed_store(store, {folder.path()}, Accounts({}, true), [&](auto& text) { told = text; }).empty());
  CHECK(contains(told, "the store already has tables: --seed"));
}

}  // namespace rocktable::TEST_FILE
