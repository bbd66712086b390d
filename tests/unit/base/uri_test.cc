// Percent-encoding.
#include "base/uri.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("percent-decoding happens once, and a plus is a space only in query strings") {
  const struct {
    std::string_view text, path, query;
  } cases[] = {
      {"", "", ""},
      {"plain", "plain", "plain"},
      {"a%20b", "a b", "a b"},
      {"a+b", "a+b", "a b"},
      {"a%2Bb", "a+b", "a+b"},
      {"%2520", "%20", "%20"},
      {"%e4%B8%ad", "\xE4\xB8\xAD", "\xE4\xB8\xAD"},
      {"\xE4\xB8\xAD", "\xE4\xB8\xAD", "\xE4\xB8\xAD"},
      {"a%27%27%27%27b", "a''''b", "a''''b"},
      {"%25", "%", "%"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(percent_decode(c.text, false) == std::string(c.path));
    CHECK(percent_decode(c.text, true) == std::string(c.query));
  }
  CHECK(percent_decode("%00", false) == std::string(1, '\0'));
}

TEST_CASE("percent-decoding copies only texts that change") {
  std::string decoded;
  const std::string_view plain = "/t(PartitionKey='a+b',RowKey='c')";
  CHECK(percent_decode(plain, false, decoded)->data() == plain.data());
  CHECK(decoded.empty());
  CHECK(percent_decode(plain, true, decoded) == "/t(PartitionKey='a b',RowKey='c')");
  CHECK(percent_decode("%27", false, decoded) == "'");
  CHECK(decoded == "'");
  CHECK(percent_decode("", false, decoded) == "");
  CHECK_FALSE(percent_decode("%2", false, decoded));
  CHECK_FALSE(percent_decode("\xFF", false, decoded));
}

TEST_CASE("percent-decoding refuses incomplete escapes and text that is not UTF-8") {
  for (const std::string_view text : {"%", "%2", "a%", "a%2", "%2g", "%g2", "%%20", "% 20", "%+2", "%-1", "%ff", "%C3",
                                      "%C3%28", "%ED%A0%80", "\xFF"}) {
    CAPTURE(text);
    CHECK_FALSE(percent_decode(text, false));
    CHECK_FALSE(percent_decode(text, true));
  }
}

TEST_CASE("percent-encoding keeps unreserved characters and writes upper-case hex") {
  CHECK(percent_encode("AZaz09-_.~") == "AZaz09-_.~");
  CHECK(percent_encode(" !'()*/?:@") == "%20%21%27%28%29%2A%2F%3F%3A%40");
  CHECK(percent_encode("\xE4\xB8\xAD\x01\x7F") == "%E4%B8%AD%01%7F");
  std::string all;
  for (int byte = 0; byte < 0x80; ++byte) all += static_cast<char>(byte);
  CHECK(percent_decode(percent_encode(all), true) == all);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
