// JSON text to the texts of its records: each form that Azure Monitor writes, and what is cut off.
#include "server/logs/json_records.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

// The records of a text, and `!` with the reason for each that is broken, one below the other.
std::string records_of(std::string_view text) {
  std::string out;
  JsonRecords records({.record = [&](std::string_view record) { out.append(record).append("\n"); },
                       .broken = [&](const char* why) { out.append("! ").append(why).append("\n"); }});
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    records.add_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  records.finish();
  CHECK_FALSE(records.is_within_text());
  return out;
}

}  // namespace

TEST_CASE("each form has the same records") {
  for (const std::string_view text : {
           "{\"a\":1}\n{\"b\":{\"c\":[2]}}\n",               // lines
           "{\"a\":1}{\"b\":{\"c\":[2]}}",                   // one after the other
           "[{\"a\":1},{\"b\":{\"c\":[2]}}]",                // an array
           "[\n{\"a\":1},\n{\"b\":{\"c\":[2]}}\n]\n",        // an array of lines
           "{\"records\":[{\"a\":1},{\"b\":{\"c\":[2]}}]}",  // a message of an event hub
           "{ \"records\" :\n [\n{\"a\":1}\n,{\"b\":{\"c\":[2]}}]\n}\n",
           "{\"records\":[{\"a\":1}]}\n{\"records\":[{\"b\":{\"c\":[2]}}]}",
       }) {
    CAPTURE(text);
    CHECK(records_of(text) == "{\"a\":1}\n{\"b\":{\"c\":[2]}}\n");
  }
}

TEST_CASE("a record over several lines keeps them") {
  CHECK(records_of("[\n  {\n    \"a\": 1,\n    \"b\": {\n    }\n  }\n]") ==
        "{\n    \"a\": 1,\n    \"b\": {\n    }\n  }\n");
}

TEST_CASE("braces within texts are texts") {
  for (const std::string_view record : {R"({"a":"}{]["})", R"({"a":"\"}"})", R"({"a":"\\"})", R"({"\\\"{":"x"})"})
    CHECK(records_of(record) == std::string(record) + "\n");
}

TEST_CASE("an object is a wrapper only if it begins with its records") {
  CHECK(records_of(R"({"recordx":[{"a":1}]})") == "{\"recordx\":[{\"a\":1}]}\n");
  CHECK(records_of(R"({"a":{"records":[{"a":1}]}})") == "{\"a\":{\"records\":[{\"a\":1}]}}\n");
  CHECK(records_of(R"({"b":1,"records":[{"a":1}]})") == "{\"b\":1,\"records\":[{\"a\":1}]}\n");
}

TEST_CASE("what is cut off costs one record") {
  CHECK(records_of("{\"a\":{\"b\":1\n{\"c\":2}\n") == "! a record ends in the middle\n{\"c\":2}\n");
  CHECK(records_of("{\"a\":\"te\n{\"c\":2}\n") == "! a record ends in the middle\n{\"c\":2}\n");
  CHECK(records_of("{\"a\":\"te\nxt\"}\n{\"c\":2}\n") == "! a record ends in the middle\n{\"c\":2}\n");
  CHECK(records_of("{\"c\":2}\n{\"a\":1") == "{\"c\":2}\n! the last record ends in the middle\n");
  CHECK(records_of("[{\"c\":2},\n{\"a") == "{\"c\":2}\n! the last record ends in the middle\n");
  CHECK(records_of("{\"c\":2}}\n{\"d\":3}") == "{\"c\":2}\n! it is not JSON\n{\"d\":3}\n");
  CHECK(records_of("[1, 2]\n{\"d\":3}").ends_with("{\"d\":3}\n"));
}

TEST_CASE("a record without end takes bounded memory") {
  std::size_t broken = 0;
  JsonRecords records(
      {.record = [](std::string_view) { FAIL("there is no record"); }, .broken = [&](const char*) { ++broken; }});
  records.add_line("{\"a\": [");
  for (int i = 0; i < 3'000; ++i) records.add_line(std::string(1'000, ' ') + "{");
  CHECK(broken >= 2);
}

}  // namespace rocktable::TEST_FILE
