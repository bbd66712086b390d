// Parsing of migration files, and the positions of errors.
#include "client/migration/migration_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "client/migration/migration_schema.h"
#include "client/sha256.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::migration::TEST_FILE {
namespace {

std::string with_steps(const std::string& steps) {
  return R"({"id": 7, "version": "1.2", "description": "words", "steps": [)" + steps + "]}";
}

std::string step_of(const std::string& json) {
  const Migration migration = parse_migration(with_steps(json), "file");
  REQUIRE(migration.steps.size() == 1);
  return to_string(migration.steps.front());
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

std::string refusal_of(const std::string& document) {
  try {
    static_cast<void>(parse_migration(document, "file"));
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A migration has an id, a version, a description, and steps in their order") {
  const Migration migration =
      parse_migration(with_steps(R"({"createTable":"one"},{"deleteTable":"two"})"), "folder/file.json");
  CHECK(migration.id == 7);
  CHECK(migration.version == "1.2");
  CHECK(migration.description == "words");
  CHECK(migration.source == "folder/file.json");
  REQUIRE(migration.steps.size() == 2);
  CHECK(summary(migration.steps[0]) == "create table one");
  CHECK(summary(migration.steps[1]) == "delete table two");
  CHECK(parse_migration(R"({"id":1,"steps":[],"$schema":"x"})", "file").steps.empty());
}

TEST_CASE("Each kind of step is parsed") {
  struct {
    const char *json, *text;
  } cases[] = {
      {R"({"createTable":"one"})", "create table one"},
      {R"({"deleteTable":"one"})", "delete table one"},
      {R"({"clearTable":"one"})", "clear table one"},
      {R"({"copyTable":{"from":"one","to":"two"}})", "copy table one to two"},
      {R"({"renameTable":{"from":"one","to":"two"}})", "rename table one to two, and keep the old one"},
      {R"({"renameTable":{"from":"one","to":"two","deleteOld":true}})", "rename table one to two"},
      {R"({"insert":{"table":"one","entities":[{"PartitionKey":"p","RowKey":"r","A":1,"B":"5","B@odata.type":"Edm.Int64"}]}})",
       "insert 1 entity into one\n ('p','r') A Edm.Int32 1 B Edm.Int64 5L"},
      {R"({"insert":{"table":"one","ifAbsent":true,"createTable":true,"entities":[{"PartitionKey":"","RowKey":""}]}})",
       "insert 1 entity into one, where absent, creates the table\n ('','')"},
      {R"({"upsert":{"table":"one","entities":[{"PartitionKey":"p","RowKey":"r"},{"PartitionKey":"p","RowKey":"s"}]}})",
       "upsert 2 entities in one\n ('p','r')\n ('p','s')"},
      {R"({"merge":{"table":"one","entities":[{"PartitionKey":"p","RowKey":"r"}]}})",
       "merge 1 entity in one\n ('p','r')"},
      {R"({"delete":{"table":"one","partition":"p'"}})", "delete from one where PartitionKey eq 'p'''"},
      {R"({"delete":{"table":"one","partition":"p","row":"r"}})",
       "delete from one where PartitionKey eq 'p' and RowKey eq 'r'"},
      {R"({"delete":{"table":"one","filter":"A gt 5 or B"}})", "delete from one where A gt 5 or B"},
      {R"({"addProperty":{"table":"one","name":"A","value":"NL"}})", "add property A = 'NL' in one"},
      {R"({"addProperty":{"table":"one","partition":"p","name":"A","value":"5","type":"Edm.Int64"}})",
       "add property A = 5L in one where PartitionKey eq 'p'"},
      {R"({"renameProperty":{"table":"one","from":"A","to":"B"}})", "rename property A to B in one"},
      {R"({"removeProperty":{"table":"one","name":"A"}})", "remove property A in one"},
      {R"({"retypeProperty":{"table":"one","name":"A","type":"Edm.Guid"}})", "make property A Edm.Guid in one"},
      {R"({"rekey":{"table":"one","RowKey":"{When:invertedTicks}"}})", "re-key one, RowKey '{When:invertedTicks}'"},
      {R"({"rekey":{"table":"one","partition":"p","PartitionKey":"q","RowKey":"l_{L}","keepOld":true}})",
       "add entities to one where PartitionKey eq 'p', PartitionKey 'q', RowKey 'l_{L}'"},
      {R"({"rekey":{"table":"one","RowKey":"{A}","onMissing":"fail"}})", "re-key one, RowKey '{A}'"},
      {R"({"rekey":{"table":"one","RowKey":"{A}","onMissing":"skip"}})", "re-key one, RowKey '{A}' (if missing: skip)"},
      {R"({"rekey":{"table":"one","RowKey":"{B}{A}","onMissing":"default","defaults":{"B":1,"A":"5","A@odata.type":"Edm.Int64"}}})",
       "re-key one, RowKey '{B}{A}' (if missing: A = 5L, B = 1)"},
      {R"({"renameProperty":{"table":"one","from":"A","to":"B","onMissing":"skip"}})", "rename property A to B in one"},
      {R"({"renameProperty":{"table":"one","from":"A","to":"B","onMissing":"default","defaults":{"A":true}}})",
       "rename property A to B (if missing: A = true) in one"},
      {R"({"retypeProperty":{"table":"one","name":"A","type":"Edm.Int64","onMissing":"default","defaults":{"A":"7"}}})",
       "make property A Edm.Int64 (if missing: A = 7L) in one"},
      {R"({"retypeProperty":{"table":"one","name":"A","type":"Edm.Int64","onMissing":"fail"}})",
       "make property A Edm.Int64 (if missing: fail) in one"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    CHECK(step_of(c.json) == c.text);
  }
}

TEST_CASE("Errors contain file, line, column and property") {
  struct {
    std::string document, sentence;
  } cases[] = {
      {"", "file:1:1: this is not JSON: it is empty"},
      {"{\n  \"a\": ,\n}", "file:2:8: this is not JSON: unexpected ','; expected '[', '{', or a literal"},
      {"{} x", "file:1:4: this is not JSON: invalid literal"},
      {"[1,\n2", "file:2:2: this is not JSON: unexpected end of input; expected ']'"},
      {"\xef\xbb\xbf 7", "file:1:2: must be an object, but is an integer"},
      {"{\"id\":1,\n \"\xC3\xA9\":2, \"id\":1}", "file:2:9: \"id\" is given twice"},
      {with_steps("{\"insert\":{\"table\":\"one\",\"entities\":[{\"A\":1,\n\"A\":2}]}}"),
       "file:2:1: steps[0].insert.entities[0]: \"A\" is given twice"},
      {"[]", "file:1:1: must be an object, but is an array"},
      {"{\n\"steps\": []\n}", "file:1:1: the property id is missing"},
      {"{\"id\":1}", "file:1:1: the property steps is missing"},
      {"{\"id\":\n \"1\",\"steps\":[]}", "file:2:2: id: must be an integer, but is text"},
      {"{\"id\":0,\"steps\":[]}", "file:1:7: id: must be from 1 to 2147483647"},
      {"{\"id\":2147483648,\"steps\":[]}", "file:1:7: id: must be from 1 to 2147483647"},
      {"{\"id\":1,\"steps\":[],\"Version\":\"1\"}",
       "file:1:30: Version: unknown property; allowed: $schema, id, version, description, steps"},
      {"{\"id\":1,\"version\":1,\"steps\":[]}", "file:1:19: version: must be text, but is an integer"},
      {with_steps("\n5"), "file:2:1: steps[0]: must be an object, but is an integer"},
      {with_steps("{\"createTable\":\"one\"},\n{}"),
       "file:2:1: steps[1]: a step must have exactly one property: its kind"},
      {with_steps("{\"createTable\":\"one\",\n\"deleteTable\":\"two\"}"),
       "file:1:63: steps[0]: a step must have exactly one property: its kind"},
      {with_steps("\n{\"create\":\"one\"}"),
       "file:2:11: steps[0].create: unknown step; allowed: createTable, deleteTable, clearTable, copyTable, "
       "renameTable, insert, upsert, merge, delete, addProperty, renameProperty, removeProperty, "
       "retypeProperty, "
       "rekey"},
      {with_steps("\n{\"createTable\":\"a_b\"}"),
       "file:2:16: steps[0].createTable: `a_b` is not a table name: The specifed resource name contains "
       "invalid "
       "characters."},
      {with_steps("\n{\"copyTable\":{\"from\":\"one\",\"to\":\"one\"}}"),
       "file:2:33: steps[0].copyTable.to: must be another table"},
      {with_steps("\n{\"insert\":{\"table\":\"one\",\"entities\":[{\"PartitionKey\":\"p\",\n\"RowKey\":\"r\"}"
                  ",{}]}}"),
       "file:3:15: steps[0].insert.entities[1]: an entity must have PartitionKey and RowKey"},
      {with_steps("\n{\"insert\":{\"table\":\"one\",\"entities\":[]}}"),
       "file:2:37: steps[0].insert.entities: must contain at least one entity"},
      {with_steps("\n{\"delete\":{\"table\":\"one\"}}"),
       "file:2:11: steps[0].delete: partition, row or filter is required (use clearTable to delete all "
       "entities)"},
      {with_steps("\n{\"delete\":{\"table\":\"one\",\"row\":\"r\"}}"),
       "file:2:32: steps[0].delete.row: row requires partition"},
      {with_steps("\n{\"addProperty\":{\"table\":\"one\",\"name\":\"RowKey\",\"value\":1}}"),
       "file:2:38: steps[0].addProperty.name: RowKey cannot be changed as a property (use rekey to change "
       "keys)"},
      {with_steps("\n{\"addProperty\":{\"table\":\"one\",\"name\":\"A\",\"value\":null}}"),
       "file:2:50: steps[0].addProperty.value: must not be null"},
      {with_steps("\n{\"rekey\":{\"table\":\"one\",\"RowKey\":\"{\"}}"),
       "file:2:34: steps[0].rekey.RowKey: `{` is unmatched: write {Property}, or double the brace"},
      {with_steps("\n{\"rekey\":{\"table\":\"one\",\"RowKey\":\"{A}\",\n\"onMissing\":\"Skip\"}}"),
       "file:3:13: steps[0].rekey.onMissing: `Skip` is unknown; use fail, skip or default"},
      {with_steps("\n{\"retypeProperty\":{\"table\":\"one\",\"name\":\"A\",\"type\":\"Edm.Int32\",\n"
                  "\"onMissing\":\"default\",\"defaults\":{\"A\":\"x\"}}}"),
       "file:3:39: steps[0].retypeProperty.defaults.A: cannot be converted to Edm.Int32"},
      {with_steps("\n{\"renameProperty\":{\"table\":\"one\",\"from\":\"A\",\"to\":\"B\",\n"
                  "\"onMissing\":\"default\",\"defaults\":{\"B\":\"x\"}}}"),
       "file:3:39: steps[0].renameProperty.defaults.B: the step does not need this property, but A"},
      {with_steps("\n{\"rekey\":{\"table\":\"one\"}}"),
       "file:2:10: steps[0].rekey: a template for PartitionKey, RowKey or both is required"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.document);
    CHECK(refusal_of(c.document) == c.sentence);
  }
  for (
      const char* step : {
          R"({"insert":{"table":"one","entities":[{"PartitionKey":"p","RowKey":"r","A":[]}]}})",
          R"({"insert":{"table":"one","entities":[{"PartitionKey":"p","RowKey":"r"},{"RowKey":"r","PartitionKey":"p"}]}})",
          R"({"insert":{"table":"one","entities":[{"PartitionKey":"a/b","RowKey":"r"}]}})",
          R"({"upsert":{"table":"one","ifAbsent":true,"entities":[{"PartitionKey":"p","RowKey":"r"}]}})",
          R"({"delete":{"table":"one","filter":"A eq"}})",
          R"({"addProperty":{"table":"one","name":"A","value":"x","type":"Edm.Int32"}})",
          R"({"addProperty":{"table":"one","name":"A","value":1,"type":"Int32"}})",
          R"({"addProperty":{"table":"one","name":"A","value":{}}})",
          R"({"renameProperty":{"table":"one","from":"A","to":"A"}})",
      }) {
    CAPTURE(step);
    CHECK(refusal_of(with_steps(step)).starts_with("file:1:"));
  }
}

TEST_CASE("The checksum depends on the content of a migration, not on its layout") {
  const auto sum = [](const std::string& document) { return checksum(parse_migration(document, "file")); };
  const std::string one = sum(with_steps(R"({"createTable":"one"})"));
  CHECK(one.size() == 64);
  CHECK(one == sum(with_steps("\n  { \"createTable\" :\t\"one\" }\r\n")));
  CHECK(one != sum(with_steps(R"({"createTable":"two"})")));
  CHECK(one != sum(with_steps(R"({"deleteTable":"one"})")));
  CHECK(one != sum(R"({"id":7,"version":"1.2","description":"other","steps":[{"createTable":"one"}]})"));
}

// Every later version of the program must recognize a migration that was applied before.
TEST_CASE("The checksum of a migration never changes") {
  CHECK(checksum(parse_migration(with_steps(R"({"createTable":"one"},{"insert":{"table":"one","entities":[)"
                                            R"({"PartitionKey":"p","RowKey":"r","A":1.5,"T":"2026-11-21T00:00:00Z",)"
                                            R"("T@odata.type":"Edm.DateTime"}]}})"),
                                 "file")) == "10908ad30aa17457bd789a84a8c146a51a2769668e97514cde38292de2b9a02b");
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

TEST_CASE("The files of a folder are sorted by id") {
  const TemporaryFolder folder;
  write(folder.path() / "a.json", R"({"id":10,"steps":[]})");
  write(folder.path() / "b.json", R"({"id":2,"steps":[]})");
  write(folder.path() / "notes.txt", "no JSON");
  const auto migrations = read_migrations(folder.path());
  REQUIRE(migrations.size() == 2);
  CHECK(migrations[0].id == 2);
  CHECK(migrations[1].id == 10);
  write(folder.path() / "c.json", R"({"id":2,"steps":[]})");
  const std::string sentence = "the id 2 is used twice: in " + (folder.path() / "b.json").string() + " and in " +
                               (folder.path() / "c.json").string();
  CHECK_THROWS_WITH_AS(read_migrations(folder.path()), sentence.c_str(), std::runtime_error);
  CHECK_THROWS_AS(read_migrations(folder.path() / "absent"), std::runtime_error);
}

TEST_CASE("A new migration has the next id and is valid") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "migrations";
  CHECK(write_new_migration(path, "create_customers") == path / "0001_create_customers.json");
  CHECK(write_new_migration(path, "next") == path / "0002_next.json");
  const auto migrations = read_migrations(path);
  REQUIRE(migrations.size() == 2);
  CHECK(migrations[0].description == "create customers");
  CHECK(migrations[1].id == 2);
  CHECK(summary(migrations[1].steps.at(0)) == "create table mytable");
  for (const char* name : {"", "a/b", "..\\x", "a\nb"})
    CHECK_THROWS_AS(write_new_migration(path, name), std::runtime_error);
}

TEST_CASE("$schema does not change the migration") {
  const std::string body = R"("id": 1, "version": "1.1", "description": "words", "steps": [{"createTable": "one"}]})";
  const auto plain = parse_migration("{" + body, "file");
  const auto with_schema = parse_migration(R"({"$schema": "migration.schema.json", )" + body, "file");
  CHECK(checksum(plain) == checksum(with_schema));
}

TEST_CASE("A new migration refers to the schema, which is not read as a migration") {
  const TemporaryFolder folder;
  const std::filesystem::path& path = folder.path();
  const auto first = write_new_migration(path, "one_two");
  CHECK(write_schema(path) == SchemaState::Written);
  const auto second = write_new_migration(path, "three");
  CHECK(second.filename() == "0002_three.json");
  const auto all = read_migrations(path);
  REQUIRE(all.size() == 2);
  CHECK(all[0].description == "one two");
  for (const auto& file : {first, second})
    CHECK(text_of(file).starts_with("{\n  \"$schema\": \"migration.schema.json\",\n  \"id\": "));
}

TEST_CASE("A schema of an earlier version is replaced, an edited one is kept") {
  const TemporaryFolder folder;
  const std::filesystem::path& path = folder.path();
  const auto file = path / kSchemaFile;
  const std::string earlier_text = "{\"title\": \"of before\"}\n", hash = sha256_hex(earlier_text);
  const std::string_view earlier[] = {hash};
  CHECK(write_schema(path, "{}", earlier) == SchemaState::Written);
  CHECK(text_of(file) == "{}");
  CHECK(write_schema(path, "{}", earlier) == SchemaState::Same);
  std::ofstream(file) << earlier_text;
  CHECK(write_schema(path, "{}", earlier) == SchemaState::Written);
  CHECK(text_of(file) == "{}");
  std::ofstream(file) << earlier_text << " ";
  CHECK(write_schema(path, "{}", earlier) == SchemaState::Changed);
  CHECK(text_of(file) == earlier_text + " ");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK_THROWS_AS(write_schema(path, "{}", earlier), std::runtime_error);
}

TEST_CASE("The program's schema is the file in docs/") {
  CHECK(
      std::string_view(kMigrationSchema).starts_with("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\""));
  CHECK(std::string_view(kMigrationSchema).ends_with("}\n"));
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
