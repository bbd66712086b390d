#include "odata/advice/client_code.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

std::string code_of(std::string_view fingerprint, ClientLanguage language, std::string_view example = "") {
  const auto terms = query_terms(fingerprint, example);
  REQUIRE(terms.has_value());
  const auto sketch = key_sketch(*terms);
  REQUIRE(sketch.has_value());
  return client_code(*sketch, language);
}

}  // namespace

TEST_CASE("the SDK tells the language") {
  CHECK(language_of_client("azsdk-js-data-tables/13.1.1") == ClientLanguage::JavaScript);
  CHECK(language_of_client("azsdk-python-data-tables/12.4.2") == ClientLanguage::Python);
  CHECK(language_of_client("azsdk-net-Data.Tables/12.8.0") == ClientLanguage::CSharp);
  CHECK(language_of_client("azsdk-go-aztables/1.0") == ClientLanguage::None);
  CHECK(language_of_client("curl/8") == ClientLanguage::None);
  CHECK(language_of_client("") == ClientLanguage::None);
}

TEST_CASE("an index in a partition is written by one transaction") {
  CHECK(code_of("PartitionKey eq ? and Status eq ?", ClientLanguage::Python) ==
        R"(index = {**entity, "RowKey": f"Status:{entity['Status']}:{entity['RowKey']}"}
table.submit_transaction([("upsert", entity), ("upsert", index)])

found = table.query_entities("PartitionKey eq @key and RowKey ge @low and RowKey lt @high", parameters={"key": partition_key, "low": f"Status:{status}:", "high": f"Status:{status};"})
)");
  CHECK(code_of("PartitionKey eq ? and Status eq ?", ClientLanguage::CSharp) ==
        R"(var index = new TableEntity(entity) { RowKey = $"Status:{entity["Status"]}:{entity.RowKey}" };
await table.SubmitTransactionAsync(new[] { entity, index }.Select(one =>
    new TableTransactionAction(TableTransactionActionType.UpsertReplace, one)));

string key = partitionKey, low = $"Status:{status}:", high = $"Status:{status};";
var found = table.QueryAsync<TableEntity>(TableClient.CreateQueryFilter($"PartitionKey eq {key} and RowKey ge {low} and RowKey lt {high}"));
)");
}

TEST_CASE("values in keys are in the order of the values") {
  const std::string_view example =
      "GET /a/t()?$filter=Created%20ge%20datetime'2026-11-01T00:00:00Z'%20and%20Age%20eq%2030";
  CHECK(
      code_of("Created ge ? and Age eq ?", ClientLanguage::JavaScript, example) ==
      R"(const index = { ...entity, partitionKey: `Age:${String(entity.Age).padStart(10, "0")}`, rowKey: `${entity.Created.toISOString()}:${entity.partitionKey}:${entity.rowKey}` };
await table.upsertEntity(index, "Replace");
await table.upsertEntity(entity, "Replace");

const key = `Age:${String(age).padStart(10, "0")}`, low = `${begin.toISOString()}`;
const found = table.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${key} and RowKey ge ${low}` } });
)");
}

TEST_CASE("names of properties stay within their quotes") {
  const std::string code = code_of("_x1 eq ? and \xC3\xA9t\xC3\xA9 eq ?", ClientLanguage::JavaScript);
  CHECK(code.find("entity[\"_x1\"]") != std::string::npos);
  CHECK(code.find("entity[\"\xC3\xA9t\xC3\xA9\"]") != std::string::npos);
}

TEST_CASE("each change has code in each language, and none without a language") {
  for (const auto change : {KeySketch::Change::QueryOfEach, KeySketch::Change::ReadOfEach, KeySketch::Change::OneQuery,
                            KeySketch::Change::OneTransaction}) {
    KeySketch sketch;
    sketch.change = change;
    for (const auto language : {ClientLanguage::JavaScript, ClientLanguage::Python, ClientLanguage::CSharp})
      CHECK(client_code(sketch, language).ends_with("\n"));
    CHECK(client_code(sketch, ClientLanguage::None).empty());
  }
}

}  // namespace rocktable::TEST_FILE
