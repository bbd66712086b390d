// The comparison of values, and which entities a filter matches.
#include "odata/filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "odata/filter_parser.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr ComparisonOperator kOperators[] = {ComparisonOperator::Eq, ComparisonOperator::Ne, ComparisonOperator::Gt,
                                             ComparisonOperator::Ge, ComparisonOperator::Lt, ComparisonOperator::Le};

// Returns the operators that are true, in the order above: `ne lt le`.
std::string holding(const Value& stored, const Value& literal) {
  std::string out;
  for (const ComparisonOperator op : kOperators)
    if (compare(view_of(stored), op, view_of(literal))) {
      if (!out.empty()) out += ' ';
      out += to_string(op);
    }
  return out;
}

constexpr std::string_view kEqual = "eq ge le", kLess = "ne lt le", kGreater = "ne gt ge", kUnordered = "ne";
constexpr std::string_view kMismatch = kLess;  // the stored value compares as smaller

Guid guid(std::string_view text) { return parse_guid(text).value(); }

struct OwnedEntity {
  Entity entity;
  std::vector<PropertyView> properties = view_of(entity.properties);

  EntityView view() const { return {entity.key.partition_key, entity.key.row_key, entity.timestamp, properties}; }
};

OwnedEntity sample() {
  return {Entity{{"p", "r"},
                 parse_date_time("2020-01-01T00:00:00.6785697Z").value(),
                 {{"Age", 39},
                  {"Big", std::int64_t{1} << 40},
                  {"Ratio", 4.0},
                  {"Name", std::string("Ann")},
                  {"Married", true},
                  {"Retired", false},
                  {"Born", parse_date_time("1970-10-04").value()},
                  {"Id", guid("c9da6455-213d-42c9-9a79-3e9149a57833")},
                  {"Blob", Binary{"binary"}}}}};
}

bool sample_matches(std::string_view text) {
  const Filter filter = parse_filter(text).value();
  const OwnedEntity entity = sample();
  return matches(filter, entity.view());
}

}  // namespace

TEST_CASE("values of the same type compare in their natural order") {
  const struct {
    Value stored, literal;
    std::string_view holding;
  } cases[] = {
      {std::string("a"), std::string("a"), kEqual},
      {std::string("b"), std::string("B"), kGreater},
      {std::string("b"), std::string("bB"), kLess},
      {std::string(""), std::string("a"), kLess},
      {std::string("\xEE\x80\x80"), std::string("\xF0\x9F\x98\x80"), kGreater},  // U+E000 is after all surrogates
      {std::string("\xC3\xA9"), std::string("z"), kGreater},
      {true, true, kEqual},
      {false, true, kLess},
      {true, false, kGreater},
      {-1, 1, kLess},
      {7, 7, kEqual},
      {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(), kGreater},
      {std::numeric_limits<std::int64_t>::min(), std::int64_t{0}, kLess},
      {1.5, 1.5, kEqual},
      {-0.0, 0.0, kEqual},
      {1.5, std::numeric_limits<double>::infinity(), kLess},
      {-std::numeric_limits<double>::infinity(), -1e300, kLess},
      {std::numeric_limits<double>::quiet_NaN(), 1.0, kUnordered},
      {1.0, std::numeric_limits<double>::quiet_NaN(), kUnordered},
      {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), kUnordered},
      {DateTime{5}, DateTime{6}, kLess},
      {DateTime{6}, DateTime{6}, kEqual},
      {guid("00000000-0000-0000-0000-000000000001"), guid("00000001-0000-0000-0000-000000000000"), kLess},
      {guid("80000000-0000-0000-0000-000000000000"), guid("7fffffff-ffff-ffff-ffff-ffffffffffff"), kGreater},
      {Binary{"\x7f"}, Binary{"\x80"}, kLess},
      {Binary{"a"}, Binary{"ab"}, kLess},
      {Binary{""}, Binary{""}, kEqual},
  };
  for (const auto& c : cases) {
    CAPTURE(to_string(view_of(c.stored)));
    CAPTURE(to_string(view_of(c.literal)));
    CHECK(holding(c.stored, c.literal) == c.holding);
  }
}

// A literal is converted to the wider type of the property, never the other way.
TEST_CASE("numbers compare if the literal can be widened to the type of the property") {
  const std::int32_t three = 3;
  const std::int64_t long_three = 3;
  const double double_three = 3.0;
  CHECK(holding(three, three) == kEqual);
  CHECK(holding(three, long_three) == kMismatch);
  CHECK(holding(three, double_three) == kMismatch);
  CHECK(holding(long_three, three) == kEqual);
  CHECK(holding(long_three, double_three) == kMismatch);
  CHECK(holding(double_three, three) == kEqual);
  CHECK(holding(double_three, long_three) == kEqual);
  CHECK(holding(std::int64_t{-1}, 1) == kLess);
  CHECK(holding(3.5, 3) == kGreater);
  CHECK(holding(2.5, std::int64_t{3}) == kLess);
  CHECK(holding(std::numeric_limits<double>::quiet_NaN(), 3) == kUnordered);
}

TEST_CASE("every other pair of types is a mismatch: the stored value compares as smaller") {
  const Value values[] = {std::string("5"), true, 5, std::int64_t{5}, 5.0, DateTime{5}, Guid{{5}}, Binary{"5"}};
  static_assert(std::size(values) == kEdmTypeCount);
  const auto is_number = [](const Value& value) {
    return type_of(value) >= EdmType::Int32 && type_of(value) <= EdmType::Double;
  };
  for (const Value& stored : values)
    for (const Value& literal : values) {
      CAPTURE(to_string(type_of(stored)));
      CAPTURE(to_string(type_of(literal)));
      const bool widens = is_number(stored) && is_number(literal) && type_of(stored) > type_of(literal);
      const bool comparable = type_of(stored) == type_of(literal) || widens;
      CHECK(holding(stored, literal) == (comparable ? kEqual : kMismatch));
    }
}

TEST_CASE("a filter matches an entity by its properties, keys and timestamp") {
  const struct {
    std::string_view text;
    bool matches;
  } cases[] = {
      {"true", true},
      {"false", false},
      {"Age eq 39", true},
      {"Age lt 39", false},
      {"40 gt Age", true},
      {"Big eq 1099511627776L", true},
      {"Ratio lt 4.1", true},
      {"Ratio eq 4", true},
      {"Name eq 'Ann'", true},
      {"Name eq 'ann'", false},
      {"name eq 'Ann'", false},
      {"Married eq true", true},
      {"Born eq datetime'1970-10-04T00:00:00.000000Z'", true},
      {"Id eq guid'C9DA6455-213D-42C9-9A79-3E9149A57833'", true},
      {"Id eq 'c9da6455-213d-42c9-9a79-3e9149a57833'", false},
      {"Blob eq X'62696e617279'", true},
      {"PartitionKey eq 'p' and RowKey eq 'r'", true},
      {"PartitionKey eq 'p' and RowKey eq 's'", false},
      {"PartitionKey eq 'q' or RowKey eq 'r'", true},
      {"Timestamp eq datetime'2020-01-01T00:00:00.6785697Z'", true},
      {"Timestamp gt datetime'2020-01-01T00:00:00.6785697Z'", false},
      {"PartitionKey eq 'x' or RowKey eq 'r' and Age eq 39", true},
      {"(PartitionKey eq 'x' or RowKey eq 'r') and Age eq 40", false},
      {"not (Age eq 39)", false},
      {"not Age eq 40 and Married", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(sample_matches(c.text) == c.matches);
  }
}

// A comparison with a missing property is false; there is no third truth value.
TEST_CASE("a property that the entity does not have fails every comparison, and 'not' inverts that") {
  for (const ComparisonOperator op : kOperators) {
    const std::string comparison = "Missing " + std::string(to_string(op)) + " 3";
    CAPTURE(comparison);
    CHECK_FALSE(sample_matches(comparison));
    CHECK(sample_matches("not (" + comparison + ")"));
  }
}

TEST_CASE("a property by itself matches if it exists, is Boolean and is true") {
  CHECK(sample_matches("Married"));
  CHECK_FALSE(sample_matches("Retired"));
  CHECK(sample_matches("not Retired"));
  CHECK_FALSE(sample_matches("Missing"));
  CHECK(sample_matches("not Missing"));
  CHECK_FALSE(sample_matches("Age"));
  CHECK(sample_matches("not Age"));
}

TEST_CASE("a filter prints as a tree") {
  Filter negation{Not{std::make_unique<Filter>(Filter{BooleanProperty{"c"}})}};
  Or disjunction;
  disjunction.terms.push_back(Filter{Comparison{"a", ComparisonOperator::Ge, std::string("it's")}});
  disjunction.terms.push_back(std::move(negation));
  disjunction.terms.push_back(Filter{Constant{false}});
  CHECK(to_string(Filter{std::move(disjunction)}) == "(or (ge a 'it''s') (not (prop c)) false)");
}

}  // namespace rocktable::TEST_FILE
