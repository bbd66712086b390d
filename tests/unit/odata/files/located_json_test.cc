// JSON values with their positions. The positions of syntax errors are tested in ndjson_test.cc and
// migration_file_test.cc.
#include "odata/files/located_json.h"

#include <doctest/doctest.h>

#include "odata/files/line_stream.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("Each member and item has its place and its source text") {
  const std::string text =
      " { \"a\" : 12 ,\n"
      "  \"b\":[true,null , -1.5e3,\"x\\n\\u00e9,]\"],\n"
      "\t\"c\": { \"d\":{} , \"e\": [[]] } , \"\\u0061\":0 }\n";
  const auto located = [&](std::string_view value) {
    const FilePlace place = place_in_text(text, static_cast<std::size_t>(value.data() - text.data()));
    return std::to_string(place.line) + ":" + std::to_string(place.column) + " " + std::string(value);
  };
  const JsonMembers members(text);
  REQUIRE(members.list().size() == 4);
  CHECK(located(members.find("a")->name_token) == "1:4 \"a\"");
  CHECK(located(members.find("a")->value_token) == "1:10 12");
  CHECK(members.find("d") == nullptr);
  CHECK(located(members.find_duplicate()->name_token) == "3:32 \"\\u0061\"");
  const auto items = json_items(members.find("b")->value_token);
  REQUIRE(items.size() == 4);
  CHECK(located(items[0]) == "2:8 true");
  CHECK(located(items[1]) == "2:13 null");
  CHECK(located(items[2]) == "2:20 -1.5e3");
  CHECK(located(items[3]) == "2:27 \"x\\n\\u00e9,]\"");
  CHECK(json_text(items[3]) == "x\n\u00e9,]");
  const std::string_view c = members.find("c")->value_token;
  CHECK(located(c) == "3:7 { \"d\":{} , \"e\": [[]] }");
  CHECK(located(JsonMembers(c).find("d")->value_token) == "3:13 {}");
  CHECK(json_items(JsonMembers(c).find("e")->value_token) == std::vector<std::string_view>{"[]"});
  for (const char* empty : {"{}", " { } ", "[ ]", "7", "\"{\""}) {
    CHECK(JsonMembers(empty).list().empty());
    CHECK(json_items(empty).empty());
  }
  CHECK(JsonMembers("[{\"a\":1}]").list().empty());
}

TEST_CASE("The kind of a value follows from its text") {
  const auto kind = [](std::string_view value) { return to_string(json_kind(value)); };
  CHECK(kind("null") == "null");
  CHECK(kind("false") == "true or false");
  CHECK(kind("-9223372036854775808") == "an integer");
  CHECK(kind("9223372036854775808") == "a number");
  CHECK(kind("1.0") == "a number");
  CHECK(kind("\"1\"") == "text");
  CHECK(kind("[1]") == "an array");
  CHECK(kind("{}") == "an object");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
