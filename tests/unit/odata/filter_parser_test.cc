// Parsing $filter: precedence, literals, normalisation, and every error.
#include "odata/filter_parser.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

std::string tree(std::string_view text, FilterTarget target = FilterTarget::Entities) {
  const auto filter = parse_filter(text, target);
  return filter ? to_string(*filter) : std::string(to_string(filter.error().code)) + ": " + filter.error().message;
}

struct Case {
  std::string_view text, tree;
};

std::string syntax_error(std::size_t position, std::string_view text) {
  return "InvalidInput: Syntax error at position " + std::to_string(position) + " in '" + std::string(text) + "'.";
}

std::string binary_error(std::string_view left, std::string_view right, std::string_view kind) {
  return "InvalidInput: A binary operator with incompatible types was detected. Found operand types 'Edm." +
         std::string(left) + "' and 'Edm." + std::string(right) + "' for operator kind '" + std::string(kind) + "'.";
}

std::string refusal(ErrorCode code, std::string_view message = {}) {
  return std::string(to_string(code)) + ": " + std::string(message.empty() ? default_message(code) : message);
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("$filter: 'and' binds tighter than 'or', 'not' tighter than both, comparisons tightest") {
  const Case cases[] = {
      {"a eq 1 or b eq 2 and c eq 3", "(or (eq a 1) (and (eq b 2) (eq c 3)))"},
      {"a eq 1 and b eq 2 or c eq 3", "(or (and (eq a 1) (eq b 2)) (eq c 3))"},
      {"(a eq 1 or b eq 2) and c eq 3", "(and (or (eq a 1) (eq b 2)) (eq c 3))"},
      {"not a eq 1 and b eq 2", "(and (not (eq a 1)) (eq b 2))"},
      {"not (a eq 1 and b eq 2)", "(not (and (eq a 1) (eq b 2)))"},
      {"not(a eq 1)", "(not (eq a 1))"},
      {"not not a", "(not (not (prop a)))"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: every comparison operator is read, and mirrored if the constant is on the left") {
  const Case cases[] = {
      {"a eq 1", "(eq a 1)"}, {"a ne 1", "(ne a 1)"}, {"a gt 1", "(gt a 1)"}, {"a ge 1", "(ge a 1)"},
      {"a lt 1", "(lt a 1)"}, {"a le 1", "(le a 1)"}, {"1 eq a", "(eq a 1)"}, {"1 ne a", "(ne a 1)"},
      {"1 gt a", "(lt a 1)"}, {"1 ge a", "(le a 1)"}, {"1 lt a", "(gt a 1)"}, {"1 le a", "(ge a 1)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: nested 'and's become one node, and so do nested 'or's, with parentheses on either side") {
  const Case cases[] = {
      {"a and b and c", "(and (prop a) (prop b) (prop c))"},
      {"a and (b and c)", "(and (prop a) (prop b) (prop c))"},
      {"((a or b) or c) or d", "(or (prop a) (prop b) (prop c) (prop d))"},
      {"(a or b) or (c or d)", "(or (prop a) (prop b) (prop c) (prop d))"},
      {"(a and b) or (c and d)", "(or (and (prop a) (prop b)) (and (prop c) (prop d)))"},
      {"a and not (b and c)", "(and (prop a) (not (and (prop b) (prop c))))"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: literals of every type") {
  const Case cases[] = {
      {"a eq 'text'", "(eq a 'text')"},
      {"a eq ''", "(eq a '')"},
      {"a eq ''''", "(eq a '''')"},
      {"a eq 'it''s'", "(eq a 'it''s')"},
      {"a eq ') and ('", "(eq a ') and (')"},
      {"a eq 'caf\xC3\xA9 \xF0\x9F\x98\x80'", "(eq a 'caf\xC3\xA9 \xF0\x9F\x98\x80')"},
      {"a eq true", "(eq a true)"},
      {"a eq false", "(eq a false)"},
      {"a eq 0", "(eq a 0)"},
      {"a eq 2147483647", "(eq a 2147483647)"},
      {"a eq -2147483648", "(eq a -2147483648)"},
      {"a eq 42L", "(eq a 42L)"},
      {"a eq -42l", "(eq a -42L)"},
      {"a eq -9223372036854775808L", "(eq a -9223372036854775808L)"},
      {"a eq 4.5", "(eq a 4.5)"},
      {"a eq -4.5", "(eq a -4.5)"},
      {"a eq 1e3", "(eq a 1000.0)"},
      {"a eq 25E-1", "(eq a 2.5)"},
      {"a eq 2.5e+1", "(eq a 25.0)"},
      {"a eq 4.5D", "(eq a 4.5)"},
      {"a eq 4.5d", "(eq a 4.5)"},
      {"a eq 4.5F", "(eq a 4.5)"},
      {"a eq 4.5m", "(eq a 4.5)"},
      {"a eq 45e-1M", "(eq a 4.5)"},
      {"a eq 5f", "(eq a 5.0)"},
      {"a eq datetime'2012-11-10T03:04:05.2000000Z'", "(eq a datetime'2012-11-10T03:04:05.2Z')"},
      {"a eq datetime'2012-11-10T03:04'", "(eq a datetime'2012-11-10T03:04:00Z')"},
      {"a eq datetime'2012-11-10T03:04:05+02:00'", "(eq a datetime'2012-11-10T01:04:05Z')"},
      {"a eq guid'C9DA6455-213d-42c9-9a79-3e9149a57833'", "(eq a guid'c9da6455-213d-42c9-9a79-3e9149a57833')"},
      {"a eq X'00fF'", "(eq a X'00ff')"},
      {"a eq x'00ff'", "(eq a X'00ff')"},
      {"a eq X''", "(eq a X'')"},
      {"a eq binary'00ff'", "(eq a X'00ff')"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: the special doubles have OData's names") {
  const auto literal = [](std::string_view text) {
    const Filter filter = parse_filter(text).value();
    return std::get<double>(std::get<Comparison>(filter.node).literal);
  };
  CHECK(literal("a eq INF") == std::numeric_limits<double>::infinity());
  CHECK(literal("a eq -INF") == -std::numeric_limits<double>::infinity());
  CHECK(literal("a eq NaN") != literal("a eq NaN"));
}

// The sentence is from a report of a user, with the service's request id: `at ge 1498179600055`.
TEST_CASE("$filter: a literal that its type cannot hold is refused; without suffix, an integer is an Int32") {
  CHECK(tree("a eq 2147483647 or a eq -2147483648") == "(or (eq a 2147483647) (eq a -2147483648))");
  CHECK(tree("a eq 2147483648L") == "(eq a 2147483648L)");
  CHECK(tree("at ge 1498179600055") ==
        refusal(ErrorCode::InvalidInput,
                "Unrecognized 'Edm.Int32' literal '1498179600055' at '6' in 'at ge 1498179600055'."));
  const struct {
    std::string_view type, literal;
  } cases[] = {
      {"Edm.Int32", "2147483648"},
      {"Edm.Int32", "-2147483649"},
      {"Edm.Int32", "9223372036854775808"},
      {"Edm.Int64", "99999999999999999999L"},
      {"Edm.Double", "1e999"},
      {"Edm.DateTime", "datetime'2020-13-01T00:00:00Z'"},
      {"Edm.DateTime", "datetime''"},
      {"Edm.Guid", "guid'c9da6455'"},
      {"Edm.Guid", "guid''"},
      {"Edm.Binary", "X'0'"},
      {"Edm.Binary", "X'0g'"},
      {"Edm.Binary", "binary'0'"},
  };
  for (const auto& [type, literal] : cases) {
    CAPTURE(literal);
    const std::string text = "\xC3\xA9 eq 1 or a eq " + std::string(literal) + " and b eq 2";
    CHECK(tree(text) == refusal(ErrorCode::InvalidInput, "Unrecognized '" + std::string(type) + "' literal '" +
                                                             std::string(literal) + "' at '15' in '" + text + "'."));
  }
}

// Recorded from the service: `<class 'filter'>`.
TEST_CASE("$filter: a character that begins no token is named with its position") {
  CHECK(tree("<class 'filter'>") ==
        refusal(ErrorCode::InvalidInput,
                "Syntax error: character '<' is not valid at position 0 in '<class 'filter'>'."));
  const struct {
    std::string_view text;
    char character;
    int position;
  } cases[] = {
      {"a eq +1", '+', 5},      {"a eq \"x\"", '"', 5}, {"a == 1 & b", '&', 7}, {"\xF0\x9F\x98\x80 eq $1", '$', 6},
      {"a eq 1;", ';', 6},      {"a @", '@', 2},        {"a[0]", '[', 1},       {"(a eq 1 !", '!', 8},
      {"a eq \x01", '\x01', 5},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::string expected = "Syntax error: character '" + std::string(1, c.character) +
                                 "' is not valid at position " + std::to_string(c.position) + " in '" +
                                 std::string(c.text) + "'.";
    const bool reached = c.text.find("==") == std::string_view::npos;  // else an earlier token is refused
    CHECK((tree(c.text) == refusal(ErrorCode::InvalidInput, expected)) == reached);
  }
  for (const std::string_view text : {"a = 1", "a eq *", "a/b eq 1", "a eq ?", "a, b", "a eq .5"}) {
    CAPTURE(text);
    CHECK(tree(text).find("Syntax error at position ") != std::string::npos);
  }
}

TEST_CASE("$filter: a string that does not end is refused, at the end of the text") {
  const auto unterminated = [](std::string_view kind, int position, std::string_view text) {
    return refusal(ErrorCode::InvalidInput, "There is an unterminated " + std::string(kind) + "literal at position " +
                                                std::to_string(position) + " in '" + std::string(text) + "'.");
  };
  CHECK(tree("a eq 'open") == unterminated("string ", 10, "a eq 'open"));
  CHECK(tree("a eq 'open''") == unterminated("string ", 12, "a eq 'open''"));
  CHECK(tree("a eq '\xC3\xA9") == unterminated("string ", 7, "a eq '\xC3\xA9"));
  CHECK(tree("a eq 'it's'") == syntax_error(10, "a eq 'it's'"));  // the `s` is refused before
  CHECK(tree("a eq datetime'2020") == unterminated("", 18, "a eq datetime'2020"));
}

TEST_CASE("$filter: a property by itself is a condition, a Boolean by itself is a constant") {
  const Case cases[] = {
      {"married", "(prop married)"},
      {"(married)", "(prop married)"},
      {"not married", "(not (prop married))"},
      {"(married) and a eq 1", "(and (prop married) (eq a 1))"},
      {"true", "true"},
      {"false", "false"},
      {"not true or a eq 1", "(or (not true) (eq a 1))"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: the parser compares two constants, numbers in the wider type") {
  const Case cases[] = {
      {"1 eq 1", "true"},      {"1 gt 2", "false"},
      {"'a' lt 'b'", "true"},  {"true ne true", "false"},
      {"1 eq 1L", "true"},     {"1L eq 1", "true"},
      {"1 lt 1.5", "true"},    {"1.5 lt 1", "false"},
      {"2L ge 1.5", "true"},   {"1 eq 2 or true", "(or false true)"},
      {"NaN eq NaN", "false"}, {"NaN ne NaN", "true"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: keywords and literal prefixes are property names where an operand is expected") {
  const Case cases[] = {
      {"eq eq 1", "(eq eq 1)"},
      {"and and or", "(and (prop and) (prop or))"},
      {"X eq 1", "(eq X 1)"},
      {"binary eq X'00'", "(eq binary X'00')"},
      {"guid ne datetime'2020-01-01T00:00Z'", "(ne guid datetime'2020-01-01T00:00:00Z')"},
      {"_a1 eq 1", "(eq _a1 1)"},
      {"\xC3\xA9t\xC3\xA9 eq 1", "(eq \xC3\xA9t\xC3\xA9 1)"},
      {"True eq 1", "(eq True 1)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

TEST_CASE("$filter: white space and parentheses are free") {
  const Case cases[] = {
      {"  a\teq  1  ", "(eq a 1)"},   {"(a eq 1)and(b eq 2)", "(and (eq a 1) (eq b 2))"},
      {"((a)) eq ((1))", "(eq a 1)"}, {"(('x')) eq (PartitionKey)", "(eq PartitionKey 'x')"},
      {"(((a eq 1)))", "(eq a 1)"},   {"( ( a eq 1 ) )", "(eq a 1)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

// Recorded from the service, which returned the expected rows for each of these.
TEST_CASE("$filter: filters that clients are known to send") {
  const Case cases[] = {
      {"PartitionKey eq 'foo' or RowKey eq 'bar2' and IsAdmin eq 'admin'",
       "(or (eq PartitionKey 'foo') (and (eq RowKey 'bar2') (eq IsAdmin 'admin')))"},
      {"PartitionKey eq ':@' and RowKey eq '+,$' and Chars eq '?''/!_^#'",
       "(and (eq PartitionKey ':@') (eq RowKey '+,$') (eq Chars '?''/!_^#'))"},
      {"birthday eq datetime'1970-10-04T00:00:00.000000Z'", "(eq birthday datetime'1970-10-04T00:00:00Z')"},
      {"large_int eq 1099511627776L", "(eq large_int 1099511627776L)"},
      {"ratio lt 4.1", "(lt ratio 4.1)"},
      {"'2022-07-12' eq PartitionKey", "(eq PartitionKey '2022-07-12')"},
      {"Timestamp ge datetime'2020-01-01T00:00:00Z'", "(ge Timestamp datetime'2020-01-01T00:00:00Z')"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == c.tree);
  }
}

// The first case is recorded from the service.
TEST_CASE("$filter: a syntax error names the position just after the offending token") {
  const struct {
    std::size_t position;
    std::string_view text;
  } cases[] = {
      {7, "aaa bbb ccc"},
      {0, ""},
      {2, "  "},
      {4, "a eq"},
      {8, "a eq 1 2"},
      {9, "a eq 1 eq 2"},
      {8, "a eq not b"},
      {11, "a eq 1 and "},
      {7, "(a eq 1"},
      {7, "a eq 1)"},
      {2, "()"},
      {1, ")"},
      {6, "a eq ,"},
      {2, "a/b eq 1"},
      {3, "a = 1"},
      {4, "a EQ 1"},
      {10, "a eq 1 AND b eq 2"},
      {3, "not"},
      {6, "true (a)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == syntax_error(c.position, c.text));
  }
}

TEST_CASE("$filter: the position of a syntax error counts UTF-16 code units") {
  CHECK(tree("'\xC3\xA9' b") == syntax_error(5, "'\xC3\xA9' b"));
  CHECK(tree("'\xF0\x9F\x98\x80' b") == syntax_error(6, "'\xF0\x9F\x98\x80' b"));
}

TEST_CASE("$filter: a malformed literal is a syntax error just after it") {
  const std::string_view literals[] = {
      "1.",
      "1.e5",
      "1e",
      "1e+",
      "1x",
      "1.5L",
      "1e3L",
      "1LL",
      "5DD",
      "4.5dF",
      "0x10",
      "1.2.3",
      "-",
      "-a",
      "-INFx",
      "1and",
      "datetimeoffset'2020-01-01T00:00:00Z'",
      "time'00:00'",
      "foo'bar'",
      "DATETIME'2020-01-01T00:00:00Z'",
      ".5",
  };
  for (const std::string_view literal : literals) {
    const std::string text = "a eq " + std::string(literal);
    CAPTURE(text);
    // If no token can begin with the first character, that character is the token.
    const bool starts_no_token = literal[0] == '.';
    CHECK(tree(text) == syntax_error(starts_no_token ? 6 : text.size(), text));
  }
}

TEST_CASE("$filter: text that is not UTF-8 is refused") {
  CHECK(tree("a eq '\xFF'") == refusal(ErrorCode::InvalidInput));
  CHECK(tree("a\xC3") == refusal(ErrorCode::InvalidInput));
}

TEST_CASE("$filter: operands whose declared types do not match the operator are refused") {
  const struct {
    std::string_view text, left, right, kind;
  } cases[] = {
      {"(PartitionKey ) and (RowKey ge 'x')", "String", "Boolean", "And"},
      {"PartitionKey eq 12345", "String", "Int32", "Equal"},
      {"12345 eq PartitionKey", "Int32", "String", "Equal"},
      {"RowKey ne 5L", "String", "Int64", "NotEqual"},
      {"RowKey gt 5.0", "String", "Double", "GreaterThan"},
      {"RowKey ge true", "String", "Boolean", "GreaterThanOrEqual"},
      {"RowKey lt X'00'", "String", "Binary", "LessThan"},
      {"RowKey le guid'c9da6455-213d-42c9-9a79-3e9149a57833'", "String", "Guid", "LessThanOrEqual"},
      {"Timestamp eq '2020-01-01'", "DateTime", "String", "Equal"},
      {"Timestamp gt 5", "DateTime", "Int32", "GreaterThan"},
      {"PartitionKey eq datetime'2020-01-01T00:00:00Z'", "String", "DateTime", "Equal"},
      {"PartitionKey eq Timestamp", "String", "DateTime", "Equal"},
      {"1 eq 'a'", "Int32", "String", "Equal"},
      {"(a eq 1) eq 'x'", "Boolean", "String", "Equal"},
      {"a eq 1 and 5", "Boolean", "Int32", "And"},
      {"'x' or a eq 1", "String", "Boolean", "Or"},
      {"a or Timestamp", "Boolean", "DateTime", "Or"},
      {"RowKey and PartitionKey eq 5", "String", "Int32", "Equal"},  // the right side is checked before the 'and'
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(tree(c.text) == binary_error(c.left, c.right, c.kind));
  }
}

TEST_CASE("$filter: 'not' and the filter as a whole require a Boolean") {
  CHECK(tree("not PartitionKey") ==
        "InvalidInput: A unary operator with an incompatible type was detected. Found operand type "
        "'Edm.String' for "
        "operator kind 'Not'.");
  CHECK(tree("not (5)") ==
        "InvalidInput: A unary operator with an incompatible type was detected. Found operand type "
        "'Edm.Int32' for "
        "operator kind 'Not'.");
  for (const std::string_view text : {"PartitionKey", "(RowKey)", "Timestamp", "'x'", "5"}) {
    CAPTURE(text);
    CHECK(tree(text) == "InvalidInput: The $filter expression must evaluate to a single boolean value.");
  }
}

TEST_CASE("$filter: null is refused") {
  for (const std::string_view text : {"PartitionKey eq null", "a ne null", "null eq a", "null", "not null"}) {
    CAPTURE(text);
    CHECK(tree(text) == refusal(ErrorCode::InvalidInput));
  }
}

TEST_CASE(
    "$filter: functions, arithmetic, and the comparison of two properties or conditions are not "
    "implemented") {
  const std::string_view texts[] = {
      "startswith(PartitionKey,'a')",
      "substringof('a',b) eq true",
      "a eq 1 and length (b) gt 3",
      "not endswith(a,'b')",
      "a add 1 eq 2",
      "a eq 1 sub 2",
      "(a mul 2) gt 1",
      "a eq b div 2",
      "a mod 2 eq 0",
      "a eq b",
      "PartitionKey lt RowKey",
      "(a eq 1) eq true",
      "true ne (a or b)",
  };
  for (const std::string_view text : texts) {
    CAPTURE(text);
    CHECK(tree(text) == refusal(ErrorCode::NotImplemented));
  }
}

TEST_CASE("$filter: the first type error is reported, unless a syntax error follows it") {
  CHECK(tree("RowKey eq 1 and RowKey eq 2L") == binary_error("String", "Int32", "Equal"));
  CHECK(tree("RowKey eq 1 and PartitionKey") == binary_error("String", "Int32", "Equal"));
  CHECK(tree("RowKey eq 1 and (") == syntax_error(17, "RowKey eq 1 and ("));
  CHECK(tree("a eq null or b c d") == syntax_error(16, "a eq null or b c d"));
}

TEST_CASE("$filter on tables: TableName is a string, and no other name exists") {
  const auto table_tree = [](std::string_view text) { return tree(text, FilterTarget::Tables); };
  CHECK(table_tree("TableName ge 'batchtests' and TableName lt 'batchtests{'") ==
        "(and (ge TableName 'batchtests') (lt TableName 'batchtests{'))");
  CHECK(table_tree("not ('a' lt TableName)") == "(not (gt TableName 'a'))");
  CHECK(table_tree("true") == "true");
  CHECK(table_tree("TableName eq 5") == binary_error("String", "Int32", "Equal"));
  CHECK(table_tree("TableName") == "InvalidInput: The $filter expression must evaluate to a single boolean value.");
  for (const std::string_view text : {"PartitionKey eq 'a'", "tablename eq 'a'", "TableName eq 'a' or b"}) {
    CAPTURE(text);
    CHECK(table_tree(text) == refusal(ErrorCode::InvalidInput));
  }
  // Table names compare without regard to case.
  CHECK(table_tree("TableName eq 'MyTable' or 'ÀB' lt TableName") ==
        "(or (eq TableName 'mytable') (gt TableName 'Àb'))");
  CHECK(table_tree("'A' eq 'a' or true") == "(or false true)");  // not table names
  CHECK(tree("TableName eq 'MyTable'") == "(eq TableName 'MyTable')");
  CHECK(tree("TableName eq 5") == "(eq TableName 5)");  // in an entity it is an ordinary property
}

TEST_CASE("$filter: nesting is limited, for parentheses and 'not' together") {
  const auto nested = [](int parentheses, int nots) {
    return repeated("(", parentheses) + repeated("not ", nots) + "a" + repeated(")", parentheses);
  };
  CHECK(tree(nested(kMaxFilterDepth, 0)) == "(prop a)");
  CHECK(parse_filter(nested(0, kMaxFilterDepth)).has_value());
  CHECK(parse_filter(nested(kMaxFilterDepth / 2, kMaxFilterDepth / 2)).has_value());
  CHECK(tree(nested(kMaxFilterDepth + 1, 0)) == syntax_error(kMaxFilterDepth + 1, nested(kMaxFilterDepth + 1, 0)));
  CHECK_FALSE(parse_filter(nested(0, kMaxFilterDepth + 1)).has_value());
  CHECK_FALSE(parse_filter(nested(kMaxFilterDepth / 2, kMaxFilterDepth / 2 + 1)).has_value());
  CHECK_FALSE(parse_filter(repeated("(", 100'000)).has_value());
  CHECK_FALSE(parse_filter(repeated("not ", 100'000)).has_value());
  // The limit is on depth, not on length.
  CHECK(parse_filter(repeated("(a eq 1) or ", 10'000) + "not (b)").has_value());
}

TEST_CASE("$filter: every piece of a filter is accepted or refused without a crash") {
  const std::string_view text =
      "not (a eq 'it''s' or 1.5e+3 lt b) and c ne datetime'2020-01-01T00:00:00.1Z' and X eq X'00ff' or "
      "guid'c9da6455-213d-42c9-9a79-3e9149a57833' eq g and d";
  int accepted = 0;
  for (std::size_t begin = 0; begin < text.size(); ++begin)
    for (std::size_t length = 0; length <= text.size() - begin; ++length) {
      const auto filter = parse_filter(text.substr(begin, length));
      accepted += filter.has_value() ? 1 : 0;
      if (!filter) {
        const ErrorCode code = filter.error().code;
        REQUIRE((code == ErrorCode::InvalidInput || code == ErrorCode::NotImplemented));
      }
    }
  CHECK(accepted > 0);
}

}  // namespace rocktable::TEST_FILE
