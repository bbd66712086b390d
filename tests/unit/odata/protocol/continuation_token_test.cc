// Continuation tokens: their form, and errors.
#include "odata/protocol/continuation_token.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("A token is the length and the base64 of its text, without characters that URLs use") {
  using namespace std::string_literals;
  const struct {
    std::string text, token;
  } cases[] = {
      // recorded from the service
      {"pkc12a1338", "1!16!cGtjMTJhMTMzOA--"},
      {"rkc12a1338123", "1!20!cmtjMTJhMTMzODEyMw--"},
      {"pk", "1!4!cGs-"},
      {"1012", "1!8!MTAxMg--"},
      {"listtable23f561007\x01"
       "01d68c7383199db0"s,
       "1!48!bGlzdHRhYmxlMjNmNTYxMDA3ATAxZDY4YzczODMxOTlkYjA-"},
      // not recorded
      {"", "1!0!"},
      {"abc", "1!4!YWJj"},
      {"~~>", "1!4!fn4*"},
      {"~~?", "1!4!fn4_"},
      {"\xC3\xA9", "1!4!w6k-"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.token);
    CHECK(encode_continuation_token(c.text) == c.token);
    const auto decoded = decode_continuation_token(c.token);
    REQUIRE(decoded.has_value());
    CHECK(*decoded == c.text);
  }
}

TEST_CASE("A token of any length survives a round trip") {
  for (std::size_t length = 0; length < 1100; ++length) {
    CAPTURE(length);
    const std::string text(length, '?');
    CHECK(decode_continuation_token(encode_continuation_token(text)).value() == text);
  }
}

TEST_CASE("A token that the encoder cannot write is refused") {
  const std::string_view cases[] = {
      "",
      "1",
      "1!",
      "1!4",
      "1!!cGs-",
      "1!cGs-",
      "2!4!cGs-",
      "!4!cGs-",
      "cGs-",
      "1!4!cGs",
      "1!3!cGs",
      "1!4!cGs=",
      "1!4!fn4+",
      "1!4!fn4/",
      "1!3!cGs-",
      "1!5!cGs-",
      "1!04!cGs-",
      "1!+4!cGs-",
      "1! 4!cGs-",
      "1!-4!cGs-",
      "1!4x!cGs-",
      "1!99999999999999999999999999!cGs-",
      "1!4!cGs- ",
      " 1!4!cGs-",
      "1!4!c-s-",
      "1!4!c--s",
      "1!4!----",
      "1!8!cGs-cGs-",
      "1!4!cGt-",  // stray bits after the last byte
      "1!4!cG!-",
      "1%214%21cGs-",  // still encoded
      "1!0!-",
      "1!4!__8-",  // not UTF-8
  };
  for (const std::string_view token : cases) {
    CAPTURE(token);
    const auto decoded = decode_continuation_token(token);
    REQUIRE(decoded.has_error());
    CHECK(decoded.error() == Error(ErrorCode::InvalidInput));
  }
}

TEST_CASE("Every truncation of a token is refused") {
  const std::string token = encode_continuation_token("a partition key");
  for (std::size_t length = 0; length < token.size(); ++length) {
    CAPTURE(length);
    CHECK(decode_continuation_token(token.substr(0, length)).has_error());
  }
}

TEST_CASE("A table token has the name, and the creation time in 16 hex digits") {
  using namespace std::string_literals;
  CHECK(table_token_text("listtable23f561007", 0x01d68c7383199db0) ==
        "listtable23f561007\x01"
        "01d68c7383199db0"s);
  CHECK(table_token_text("t", 0) ==
        "t\x01"
        "0000000000000000"s);
  CHECK(table_token_text("t", std::numeric_limits<std::int64_t>::max()) ==
        "t\x01"
        "7fffffffffffffff"s);
}

TEST_CASE("The table's name is read from a table token with or without time") {
  CHECK(table_name_of_token(table_token_text("mytable", 42)) == "mytable");
  CHECK(table_name_of_token("mytable") == "mytable");
  CHECK(table_name_of_token("mytable\x01") == "mytable");
  CHECK(table_name_of_token("\x01"
                            "01d68c7383199db0") == "");
  CHECK(table_name_of_token("") == "");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
