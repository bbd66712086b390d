#include "odata/json_token.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

std::vector<std::string> tokens_of(std::string_view json) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < json.size(); at += tokens.back().size()) {
    tokens.emplace_back(json_token_at(json, at));
  }
  return tokens;
}

TEST_CASE("a token of JSON is a string, a number or a single character") {
  CHECK(tokens_of(R"({"a":[-1.5e+3,true]})") ==
        std::vector<std::string>{"{", "\"a\"", ":", "[", "-1.5e+3", ",", "t", "r", "u", "e", "]", "}"});
}

TEST_CASE("a token of JSON that is a string ends at its first quote without backslash") {
  CHECK(json_token_at(R"("a\"b\\" )", 0) == R"("a\"b\\")");
  CHECK(json_token_at("\"", 0) == "\"");
  CHECK(json_token_at(R"("a\)", 0) == R"("a\)");
  CHECK(json_token_at(R"(["no end)", 1) == R"("no end)");
}

TEST_CASE("integers in JSON have no fraction and no exponent, and any length") {
  for (const char* token : {"0", "-1", "100000000000000000000"}) {
    CAPTURE(token);
    CHECK(is_json_integer(token));
  }
  for (const char* token : {"1.0", "1e3", "1E3", "\"1\"", "t", "+"}) {
    CAPTURE(token);
    CHECK_FALSE(is_json_integer(token));
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
