// Which files of a folder are tables of which account.
#include "server/program/seed.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable {
namespace {

class SeedFolder {
 public:
  void add(const std::string& name) const {
    const auto file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "PartitionKey,RowKey\n";
  }
  std::filesystem::path path(const std::string& name = "") const { return folder_.path() / name; }

  // `ACCOUNT/TABLE` of each, or the refusal.
  std::string found(const std::string& name = "", const std::string& account = "devstoreaccount1") {
    std::string out;
    passed_over.clear();
    const Seed seed{name.empty() ? folder_.path() : folder_.path() / name, account};
    try {
      for (const SeedFile& file :
           find_seed_files(seed, [&](const std::string& text) { passed_over += text; }))
        out += (out.empty() ? "" : " ") + file.account + "/" + file.table;
    } catch (const std::runtime_error& error) {
      out = error.what();
    }
    return out;
  }

  std::string passed_over;

 private:
  TemporaryFolder folder_;
};

bool contains(const std::string& text, std::string_view piece) { return text.find(piece) != text.npos; }

}  // namespace

TEST_CASE("a file is a table, a folder is as many as it has files, a folder in it an account") {
  SeedFolder folder;
  folder.add("customers.ndjson");
  folder.add("Orders.CSV");
  folder.add("template/lines.jsonl");
  CHECK(folder.found() == "devstoreaccount1/customers devstoreaccount1/Orders template/lines");
  CHECK(folder.found("", "mine") == "mine/customers mine/Orders template/lines");
  CHECK(folder.found("Orders.CSV", "mine") == "mine/Orders");
  CHECK(folder.found("template") == "devstoreaccount1/lines");
  CHECK(folder.passed_over.empty());
}

TEST_CASE("hidden files are passed over in silence, others are told") {
  SeedFolder folder;
  folder.add(".git/customers.csv");
  folder.add(".hidden.csv");
  folder.add("customers.csv");
  folder.add("README.md");
  folder.add("template/deeper/customers.csv");
  CHECK(folder.found() == "devstoreaccount1/customers");
  CHECK(contains(folder.passed_over,
                 "README.md is passed over: its name does not end in .ndjson, .jsonl or .csv"));
  CHECK(contains(folder.passed_over, "deeper is passed over"));
  CHECK_FALSE(contains(folder.passed_over, "hidden"));
}

TEST_CASE("what cannot be seeded is told with its name") {
  SeedFolder folder;
  folder.add("nothing/README.md");
  folder.add("no-name/a-b.csv");
  folder.add("short/ab.csv");
  folder.add("reserved/tables.csv");
  folder.add("twice/a/customers.csv");
  folder.add("account/Not-One/customers.csv");
  CHECK(contains(folder.found("nothing"), "nothing names no tables: files TABLE.ndjson or TABLE.csv"));
  CHECK(contains(folder.found("nothing/README.md"), "README.md names no tables"));
  CHECK(contains(folder.found("absent"), "absent cannot be read: "));
  CHECK(contains(folder.found("no-name"), "a-b.csv is to be a table, but \"a-b\" cannot be one's name"));
  CHECK(contains(folder.found("short"), "\"ab\" cannot be one's name"));
  CHECK(contains(folder.found("reserved"), "\"tables\" cannot be one's name"));
  CHECK(contains(folder.found("account"), "Not-One is to be an account's folder, but its name is not"));
  folder.add("same/customers.csv");
  folder.add("same/CUSTOMERS.ndjson");
  CHECK(contains(folder.found("same"), " is the same table as "));
}

TEST_CASE("a seed is refused where its account is not there") {
  SeedFolder folder;
  folder.add("template/customers.csv");
  TableStore store({{}, true, false});
  const auto tell = [](const std::string&) {};
  CHECK_THROWS_WITH(seed_store(store, {folder.path()}, Accounts{{"mine", {"a2V5"}}}, tell),
                    doctest::Contains("customers.csv is for the account template, which is not there"));
  CHECK(store.is_empty());
  CHECK(seed_store(store, {folder.path()}, Accounts({}, true), tell) ==
        "seeded 1 table with 0 entities from " + folder.path().string());
  std::string told;
  CHECK(seed_store(store, {folder.path()}, Accounts({}, true), [&](auto& text) { told = text; }).empty());
  CHECK(contains(told, "the store has tables already: --seed"));
}

}  // namespace rocktable
