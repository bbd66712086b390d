// Newline-delimited JSON: reading, writing, and the positions of errors.
#include <doctest/doctest.h>

#include "odata/files/entity_format.h"
#include "tests/unit/odata/files/entity_files.h"

namespace rocktable::TEST_FILE {
namespace {

std::vector<Entity> read(const std::string& text) { return entities_in(EntityFormat::Ndjson, text); }
std::string fault(const std::string& text) { return fault_in(EntityFormat::Ndjson, text); }

constexpr const char* kKeys = R"({"PartitionKey":"p","RowKey":"r",)";

}  // namespace

TEST_CASE("a line is an entity; blank lines, CR, a byte order mark and a missing line end are accepted") {
  const auto entities = read(
      "\xEF\xBB\xBF\r\n{\"PartitionKey\":\"p\",\"RowKey\":\"1\"}\r\n \t\n"
      "  {\"RowKey\":\"2\",\"a\":1,\"PartitionKey\":\"p\"} ");
  REQUIRE(entities.size() == 2);
  CHECK(entities[0] == Entity{{"p", "1"}, {}, {}});
  CHECK(entities[1] == Entity{{"p", "2"}, {}, {{"a", std::int32_t{1}}}});
  CHECK(read("").empty());
  CHECK(read("\n\n").empty());
}

TEST_CASE("an entity from a response of the service is a valid line") {
  const auto entities = read(
      R"({"odata.metadata":"http://h/$metadata#t/@Element","odata.etag":"W/\"x\"","PartitionKey":"p","RowKey":"r",)"
      R"("Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-01-01T00:00:00Z",)"
      R"("n@odata.type":"Edm.Int64","n":"12","late":"00","late@odata.type":"Edm.String","none":null})");
  REQUIRE(entities.size() == 1);
  CHECK(entities[0] == Entity{{"p", "r"}, {}, {{"n", std::int64_t{12}}, {"late", std::string("00")}}});
}

TEST_CASE("lines keep the order of properties, with types that JSON does not show") {
  const std::vector<Entity> entities{{{"p", "r"}, {}, {{"z", std::int64_t{1}}, {"a", 1.0}, {"m", std::string("x\n")}}},
                                     {{"p", "s"}, {}, {}}};
  CHECK(text_of(EntityFormat::Ndjson, entities) ==
        "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"z@odata.type\":\"Edm.Int64\",\"z\":\"1\",\"a\":1.0,\"m\":"
        "\"x\\n\"}\n"
        "{\"PartitionKey\":\"p\",\"RowKey\":\"s\"}\n");
}

TEST_CASE("an error has line, column (in characters) and a sentence") {
  const std::string good = R"({"PartitionKey":"p","RowKey":"r"})";
  const std::string keys = kKeys;
  const struct {
    std::string line;
    std::string place, sentence;
  } cases[] = {
      {"{\"a\" 17}", "6", "this is not JSON: unexpected number literal; expected ':'"},
      {"{\"a\":nulx}", "9", "this is not JSON: invalid literal"},
      {"{\"a\":1", "7", "this is not JSON: unexpected end of input; expected '}'"},
      {"{\"a\":\"\\uD800\"}", "13", "this is not JSON: invalid string: surrogate"},
      {"{\"a\":\"\xFF\"}", "7", "this is not JSON: invalid string: ill-formed UTF-8 byte"},
      {"{\"\xC3\xA9\" \"text\"}", "6", "this is not JSON: unexpected string literal; expected ':'"},
      {good + " " + good, "35", "this is not JSON: unexpected '{'; expected end of input"},
      {"[1]", "1", "a line must hold one JSON object, an entity"},
      {"  \"text\"", "3", "a line must hold one JSON object, an entity"},
      {" {\"RowKey\":\"r\"}", "2", "the entity has no PartitionKey"},
      {"{\"PartitionKey\":\"p\",\"RowKey\":null}", "1", "the entity has no RowKey"},
      {"{\"PartitionKey\":1,\"RowKey\":\"r\"}", "17", "PartitionKey is not text"},
      {"{\"PartitionKey\":\"p\",\"RowKey\":\"a#b\"}", "30", "RowKey contains a character that keys may not contain"},
      {keys + "\"Age@odata.type\":\"Edm.Guid\",\"Age\":\"x\"}", "68", "the value of \"Age\" is not a Guid"},
      {keys + "\"Age\": \"x\" ,\"Age@odata.type\":\"Edm.Int64\"}", "41", "the value of \"Age\" is not an Int64"},
      {keys + "\"a@odata.type\":\"Edm.Byte\",\"a\":1}", "49", "the type of \"a\" must be one of Edm.String"},
      {keys + "\"a\":{\"b\":\"}\"}}", "38", "the value of \"a\" is an object; a property holds a single value"},
      {keys + "\"a\":[1,[2]],\"b\":1}", "38", "the value of \"a\" is an array"},
      {keys + "\"a\":1,\"b\":2,\"a\":3}", "46", "\"a\" is given twice"},
      {keys + "\"a b\":1}", "34", "\"a b\" is not a valid property name"},
      {keys + "\"\xC3\xA9\":1,\"\xC3\xA9 x\":1}", "40", "\"\xC3\xA9 x\" is not a valid property name"},
      {keys + "\"a\x7F\xC2\x9F\xC2\xA0\":1}", "34", "\"a\\u007f\\u009f\xC2\xA0\" is not a valid property name"},
      {keys + "\"\":1}", "34", "a property has no name"},
      {keys + "\"d\":1e400}", "38", "this is not JSON: number overflow"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.line);
    const std::string said = fault(good + "\r\n\n" + c.line + "\n" + good);
    CAPTURE(said);
    CHECK(said.starts_with("sample:3:" + c.place + ": " + c.sentence));
  }
}

TEST_CASE("deep and wide lines are refused quickly") {
  const std::string deep(1'000'000, '[');
  CHECK(fault(kKeys + ("\"a\":" + deep)).starts_with("sample:1:"));
  CHECK(fault(kKeys + ("\"a\":" + deep + std::string(deep.size(), ']') + "}")).find("is an array") !=
        std::string::npos);
  std::string wide = kKeys;
  for (int i = 0; i < 200'000; ++i) wide += "\"p" + std::to_string(i) + "\":null,";
  CHECK(fault(wide + "\"a\":[]}").find("is an array") != std::string::npos);
}

}  // namespace rocktable::TEST_FILE
