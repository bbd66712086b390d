// JSON values with their positions.
#include "client/migration/located_json.h"

#include <doctest/doctest.h>

namespace rocktable::migration {
namespace {

std::string place_of(const LocatedJson& value) {
  return std::to_string(value.place.line) + ":" + std::to_string(value.place.column) + " " +
         std::string(value.source);
}

std::string refusal_of(std::string_view document) {
  try {
    static_cast<void>(parse_located_json(document, "file"));
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Each value has its line, its column and its source text") {
  const std::string document =
      "{ \"a\" : 12 ,\n"
      "  \"b\":[true,null , -1.5e3,\"x\\n\\u00e9,\"],\n"
      "\t\"c\": { \"d\":{} , \"e\": 9223372036854775808} }\n";
  const LocatedJson json = parse_located_json(document, "file");
  CHECK(place_of(json) == "1:1 " + document.substr(0, document.size() - 1));
  REQUIRE(json.members.size() == 3);
  CHECK(place_of(*json.find("a")) == "1:9 12");
  CHECK(json.find("a")->integer == 12);
  const auto& items = json.find("b")->items;
  REQUIRE(items.size() == 4);
  CHECK(place_of(items[0]) == "2:8 true");
  CHECK(items[0].boolean);
  CHECK(place_of(items[1]) == "2:13 null");
  CHECK(place_of(items[2]) == "2:20 -1.5e3");
  CHECK(items[2].kind == LocatedJson::Kind::Number);
  CHECK(place_of(items[3]) == "2:27 \"x\\n\\u00e9,\"");
  CHECK(items[3].text == "x\n\u00e9,");
  CHECK(place_of(*json.find("c")) == "3:7 { \"d\":{} , \"e\": 9223372036854775808}");
  CHECK(place_of(*json.find("c")->find("d")) == "3:13 {}");
  CHECK(place_of(*json.find("c")->find("e")) == "3:23 9223372036854775808");
  CHECK(json.find("c")->find("e")->kind == LocatedJson::Kind::Number);
  CHECK(json.find("d") == nullptr);
}

TEST_CASE("A document may be a single value after a byte order mark") {
  CHECK(place_of(parse_located_json("\xef\xbb\xbf 7", "file")) == "1:2 7");
  CHECK(parse_located_json("-7", "file").integer == -7);
}

TEST_CASE("The error for invalid JSON has its position") {
  CHECK(refusal_of("{\n  \"a\": ,\n}").starts_with("file:2:8: "));
  CHECK(refusal_of("[1,\n2").starts_with("file:2:"));
  CHECK(refusal_of("").starts_with("file:1:1: "));
  CHECK(refusal_of("{} x").starts_with("file:1:4: "));
  CHECK(refusal_of("{\"a\":1,\n \"a\":2}") == "file:2:2: the member \"a\" occurs twice");
  CHECK(refusal_of(std::string(64, '[') + std::string(64, ']')) == "");
  CHECK(refusal_of(std::string(65, '[')) == "file:1:65: values are nested too deeply");
}

}  // namespace
}  // namespace rocktable::migration
