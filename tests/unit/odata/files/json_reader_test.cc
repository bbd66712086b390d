#include "odata/files/json_reader.h"

#include <doctest/doctest.h>

#include <functional>

namespace rocktable::TEST_FILE {
namespace {

// What a reading of the document is refused with; empty: it is not.
std::string refusal_of(std::string_view text, const std::function<void(const JsonReader&)>& read) {
  try {
    const JsonDocument document(text, "file");
    read(document.root());
    return "";
  } catch (const FileError& error) {
    return error.what();
  }
}

TEST_CASE("values are read with their types") {
  const JsonDocument document(R"({"a": "x", "n": -5, "d": 0.5, "f": true, "l": [1, 2]})", "file");
  const JsonReader root = document.root();
  CHECK(root.member("a").text() == "x");
  CHECK(root.text_or("b", "y") == "y");
  CHECK(root.member("n").integer(-5, 5) == -5);
  CHECK(root.member("d").number(0, 1) == 0.5);
  CHECK(root.member("n").number(-10, 0) == -5);
  CHECK(root.flag("f"));
  CHECK_FALSE(root.flag("g"));
  REQUIRE(root.member("l").items().size() == 2);
  CHECK(root.member("l").items()[1].integer(0, 9) == 2);
}

TEST_CASE("a refusal names file, line, column and path") {
  const auto allow_a = [](const JsonReader& root) { root.allow_only({"a"}); };
  CHECK(refusal_of("{\n  \"b\": 1}", allow_a) == "file:2:8: b: unknown property; allowed: a");
  CHECK(refusal_of("[1]", allow_a) == "file:1:1: must be an object, but is an array");
  CHECK(refusal_of("{\"a\":1,\"a\":2}", allow_a) == "file:1:8: \"a\" is given twice");
  CHECK(refusal_of("", allow_a) == "file:1:1: this is not JSON: it is empty");
  const auto deep = [](const JsonReader& root) { root.member("l").items()[1].member("x").integer(1, 3); };
  CHECK(refusal_of(R"({"l": [{}, {"x": 4}]})", deep) == "file:1:18: l[1].x: must be from 1 to 3");
  CHECK(refusal_of(R"({"l": [{}, {"x": 1.5}]})", deep) == "file:1:18: l[1].x: must be an integer, but is a number");
  CHECK(refusal_of(R"({"l": [{}, {}]})", deep) == "file:1:12: l[1]: the property x is missing");
  const auto number = [](const JsonReader& root) { root.member("p").number(0, 0.5); };
  CHECK(refusal_of(R"({"p": 0.6})", number) == "file:1:7: p: must be from 0 to 0.5");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
