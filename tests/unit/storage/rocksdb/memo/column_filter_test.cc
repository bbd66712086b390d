// Which property of a filter a column can decide, and that it never refuses a row that matches.
#include "storage/rocksdb/memo/column_filter.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/filter_parser.h"

namespace rocktable::TEST_FILE {
namespace {

Filter parsed(std::string_view text) { return parse_filter(text, FilterTarget::Entities).value(); }

TEST_CASE("The property of a column is that of a term with `eq`, else of the first term that asks for one property") {
  const struct {
    std::string_view filter, property;  // empty: none
  } cases[] = {
      {"A eq 1", "A"},
      {"Active", "Active"},
      {"not (A eq 1)", "A"},
      {"A gt 1 or A lt 0", "A"},
      {"A gt 1 and B eq 2", "B"},
      {"A eq 1 and B eq 2", "A"},
      {"A gt 1 and B lt 2", "A"},
      {"(A eq 1 or B eq 1) and C lt 3", "C"},
      {"A gt 1 and PartitionKey eq 'p'", "A"},
      {"PartitionKey ge 'p' and Timestamp gt datetime'2020-01-01T00:00:00Z'", "Timestamp"},
      {"A eq 1 or B eq 2", ""},
      {"A eq 1 or PartitionKey eq 'p'", ""},
      {"not (A eq 1 and B eq 2)", ""},
      {"PartitionKey eq 'p'", ""},
      {"RowKey gt 'r'", ""},
      {"true", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    const Filter filter = parsed(c.filter);
    const auto part = ColumnFilter::of(filter);
    CHECK((part ? part->property() : "") == c.property);
  }
}

TEST_CASE("A row that matches the filter may match its part, and a part that is all of the filter is exact") {
  const std::vector<std::optional<ValueView>> values = {
      std::nullopt, std::int32_t{0},       std::int32_t{1},    std::int64_t{1},
      1.0,          std::string_view("1"), std::string_view(), true,
      false,        DateTime{1},           BinaryView{"\1"},   Guid{}};
  for (const std::string_view text :
       {"A eq 1", "A ne 1", "A lt 1L", "A ge 1.0", "A", "not A", "not (A eq 1)", "A gt 0 and A lt 2", "A eq '1'",
        "A eq '' or A eq true", "A eq 1 and B eq 1", "B gt 5 and A eq 1", "(A eq 1 or B eq 1) and not (A ne 1)",
        "A lt datetime'2020-01-01T00:00:00Z'", "A eq X'01'", "A eq guid'00000000-0000-0000-0000-000000000000'"}) {
    CAPTURE(text);
    const Filter filter = parsed(text);
    const auto part = ColumnFilter::of(filter);
    REQUIRE(part);
    REQUIRE(part->property() == "A");
    const bool is_all = text.find('B') == std::string_view::npos;
    for (const auto& a : values)
      for (const auto& b : values) {
        std::vector<PropertyView> properties;
        if (a) properties.push_back({"A", *a});
        if (b) properties.push_back({"B", *b});
        const bool whole = matches(filter, EntityView{"p", "r", DateTime{1}, properties});
        if (whole) CHECK(part->may_match(a));
        if (is_all) CHECK(part->may_match(a) == whole);
      }
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
