// Key predicates: writing, reading, and errors.
#include "odata/key_predicate.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/uri.h"

namespace rocktable::TEST_FILE {
namespace {

// The table is recorded from the service.
TEST_CASE("a key predicate doubles quotes, then percent-encodes all except quotes and unreserved bytes") {
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

TEST_CASE("a key predicate is read in either order, with white space and doubled quotes") {
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
      "PartitionKey='p',PartitionKey='p'",
      "RowKey='r',RowKey='r'",
      "PartitionKey='p',RowKey='r',RowKey='r'",
      "PartitionKey='p',RowKey='r' x",
      "PartitionKey='p',RowKey=",
      "PartitionKey='p',RowKey",
      "PartitionKey=p,RowKey='r'",
      "PartitionKey=1,RowKey=2",
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

// The sentences and positions are from reports of users, with the service's request ids.
TEST_CASE("a quote that is not doubled leaves a literal that does not end; other characters may begin no token") {
  const auto invalid = [](char character, int position) {
    return "Syntax error: character '" + std::string(1, character) + "' is not valid at position " +
           std::to_string(position);
  };
  const auto unterminated = [](int position) {
    return "There is an unterminated string literal at position " + std::to_string(position);
  };
  const struct {
    std::string_view text;
    std::string sentence;
  } cases[] = {
      {"PartitionKey='pk',RowKey='r'k'", unterminated(30)},
      {"PartitionKey='\"A'aaa\"_bbbb3'", invalid('"', 20)},
      {"PartitionKey='p',RowKey='r", unterminated(26)},
      {"PartitionKey='p',RowKey='r''", unterminated(28)},
      {"PartitionKey='p',RowKey='", unterminated(25)},
      {"PartitionKey='p,RowKey='r'", unterminated(26)},
      {"PartitionKey='\xF0\x9F\x98\x80'b',RowKey='r'", unterminated(30)},
      {"PartitionKey='p';RowKey='r'", invalid(';', 16)},
      {"PartitionKey=\"p\",RowKey=\"r\"", invalid('"', 13)},
      {"PartitionKey='p',RowKey='r'&", invalid('&', 27)},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto key = parse_key_predicate(c.text);
    REQUIRE_FALSE(key.has_value());
    CHECK(key.error() == Error(ErrorCode::InvalidInput, c.sentence + " in '" + std::string(c.text) + "'."));
  }
}

TEST_CASE("other characters that keys may not hold are out of range") {
  for (const std::string_view text : {"PartitionKey='#',RowKey='r'", "PartitionKey='p',RowKey='?'",
                                      "PartitionKey='p',RowKey='\x1F'", "PartitionKey='\xC2\x80',RowKey=''"}) {
    CAPTURE(text);
    const auto key = parse_key_predicate(text);
    REQUIRE_FALSE(key.has_value());
    CHECK(key.error() == Error(ErrorCode::OutOfRangeInput));
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
