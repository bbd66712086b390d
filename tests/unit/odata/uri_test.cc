// Percent-encoding, and keys in URLs.
#include "odata/uri.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "odata/key_predicate.h"

namespace rocktable {
namespace {

TEST_CASE("percent-decoding happens once, and a plus is a space in query strings alone") {
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

TEST_CASE("percent-decoding refuses half an escape, and what is not UTF-8") {
  for (const std::string_view text : {"%", "%2", "a%", "a%2", "%2g", "%g2", "%%20", "% 20", "%+2", "%-1",
                                      "%ff", "%C3", "%C3%28", "%ED%A0%80", "\xFF"}) {
    CAPTURE(text);
    CHECK_FALSE(percent_decode(text, false));
    CHECK_FALSE(percent_decode(text, true));
  }
}

TEST_CASE("percent-encoding spares unreserved characters and writes upper-case hex") {
  CHECK(percent_encode("AZaz09-_.~") == "AZaz09-_.~");
  CHECK(percent_encode(" !'()*/?:@") == "%20%21%27%28%29%2A%2F%3F%3A%40");
  CHECK(percent_encode("\xE4\xB8\xAD\x01\x7F") == "%E4%B8%AD%01%7F");
  std::string all;
  for (int byte = 0; byte < 0x80; ++byte) all += static_cast<char>(byte);
  CHECK(percent_decode(percent_encode(all), true) == all);
}

// The table is recorded from the service.
TEST_CASE("a key predicate doubles quotes, then percent-encodes all but quotes and unreserved characters") {
  const struct {
    std::string_view key, written;
  } cases[] = {
      {"", ""},
      {"plain-key_0.~", "plain-key_0.~"},
      {":@", "%3A%40"},
      {"+,$", "%2B%2C%24"},
      {"=& ", "%3D%26%20"},
      {"table@storage.com0", "table%40storage.com0"},
      {"A'aaa_bbbb2\"", "A''aaa_bbbb2%22"},
      {"a''''b", "a''''''''b"},
      {"⒈①Ⅻㄨㄩ", "%E2%92%88%E2%91%A0%E2%85%AB%E3%84%A8%E3%84%A9"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.key);
    std::string out = "t";
    append_key_predicate(out, c.key, "r");
    CHECK(out == "t(PartitionKey='" + std::string(c.written) + "',RowKey='r')");
    out.clear();
    append_key_predicate(out, "p", c.key);
    CHECK(out == "(PartitionKey='p',RowKey='" + std::string(c.written) + "')");
    const auto decoded = percent_decode(std::string_view(out).substr(1, out.size() - 2), false);
    REQUIRE(decoded);
    CHECK(parse_key_predicate(*decoded).value() == EntityKey{"p", std::string(c.key)});
  }
}

TEST_CASE("a key predicate reads in either order, with white space, with quotes doubled") {
  const struct {
    std::string_view text;
    EntityKey key;
  } cases[] = {
      {"PartitionKey='p',RowKey='r'", {"p", "r"}},
      {"PartitionKey='p', RowKey='r'", {"p", "r"}},
      {"RowKey='r',PartitionKey='p'", {"p", "r"}},
      {" \tPartitionKey = 'p' ,\tRowKey = 'r' ", {"p", "r"}},
      {"PartitionKey='',RowKey=''", {"", ""}},
      {"PartitionKey='a''b',RowKey=''''''", {"a'b", "''"}},
      {"PartitionKey='a''''b',RowKey=' '", {"a''b", " "}},
      {"PartitionKey='a,RowKey=''b''',RowKey=')(='", {"a,RowKey='b'", ")(="}},
      {"PartitionKey='100%',RowKey='\xE4\xB8\xAD'", {"100%", "\xE4\xB8\xAD"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto key = parse_key_predicate(c.text);
    REQUIRE(key.has_value());
    CHECK(*key == c.key);
  }
}

TEST_CASE("a malformed key predicate is an error in query syntax") {
  const Error bad_syntax(ErrorCode::InvalidInput, "Bad Request - Error in query syntax.");
  const std::string_view cases[] = {
      "",
      "'p'",
      "PartitionKey='p'",
      "RowKey='r'",
      "PartitionKey='p',",
      "PartitionKey='p',RowKey='r',",
      ",PartitionKey='p',RowKey='r'",
      "PartitionKey='p'RowKey='r'",
      "PartitionKey='p';RowKey='r'",
      "PartitionKey='p',PartitionKey='p'",
      "RowKey='r',RowKey='r'",
      "PartitionKey='p',RowKey='r',RowKey='r'",
      "PartitionKey='p',RowKey='r' x",
      "PartitionKey='p',RowKey='r",
      "PartitionKey='p',RowKey='r''",
      "PartitionKey='p',RowKey='",
      "PartitionKey='p',RowKey=",
      "PartitionKey='p',RowKey",
      "PartitionKey='p,RowKey='r'",
      "PartitionKey='a'b',RowKey='r'",  // a quote not doubled
      "PartitionKey=p,RowKey='r'",
      "PartitionKey=1,RowKey=2",
      "PartitionKey=\"p\",RowKey=\"r\"",
      "partitionkey='p',rowkey='r'",
      "PartitionKeys='p',RowKey='r'",
      "PartitionKey='a/b',RowKey='r'",
      "PartitionKey='p',RowKey='a\\b'",
      "PartitionKey='#',RowKey='/'",
  };
  for (const std::string_view text : cases) {
    CAPTURE(text);
    const auto key = parse_key_predicate(text);
    REQUIRE_FALSE(key.has_value());
    CHECK(key.error() == bad_syntax);
  }
}

TEST_CASE("other characters that keys may not hold are out of range") {
  for (const std::string_view text :
       {"PartitionKey='#',RowKey='r'", "PartitionKey='p',RowKey='?'", "PartitionKey='p',RowKey='\x1F'",
        "PartitionKey='\xC2\x80',RowKey=''"}) {
    CAPTURE(text);
    const auto key = parse_key_predicate(text);
    REQUIRE_FALSE(key.has_value());
    CHECK(key.error() == Error(ErrorCode::OutOfRangeInput));
  }
}

}  // namespace
}  // namespace rocktable
