#include "odata/filter_shape.h"

#include <doctest/doctest.h>

#include "odata/filter_parser.h"

namespace rocktable::TEST_FILE {
namespace {

std::string shape(std::string_view filter) { return filter_shape(parse_filter(filter).value()); }

}  // namespace

TEST_CASE("a shape has the properties and operators of the filter, and no literals") {
  CHECK(shape("PartitionKey eq 'a' and Age gt 30") == "PartitionKey eq ? and Age gt ?");
  CHECK(shape("Age lt 5L or Born ge datetime'2020-01-01T00:00:00Z'") == "Age lt ? or Born ge ?");
  CHECK(shape("Alive and not Married") == "Alive and not Married");
  CHECK(shape("false") == "false");
}

TEST_CASE("filters that mean the same have the same shape") {
  CHECK(shape("'a' eq PartitionKey") == shape("(PartitionKey eq 'b')"));
  CHECK(shape("A eq 1 and (B eq 2 and C eq 3)") == shape("(A eq 1 and B eq 2) and C eq 3"));
}

TEST_CASE("parentheses stay where they are needed") {
  CHECK(shape("A eq 1 and (B eq 2 or C eq 3)") == "A eq ? and (B eq ? or C eq ?)");
  CHECK(shape("A eq 1 and B eq 2 or C eq 3") == "A eq ? and B eq ? or C eq ?");
  CHECK(shape("not (A eq 1 and B eq 2)") == "not (A eq ? and B eq ?)");
}

TEST_CASE("a list of any length has one shape") {
  const std::string two = shape("RowKey eq '1' or RowKey eq '2'");
  CHECK(two == "RowKey eq ? or ...");
  CHECK(shape("RowKey eq '1' or RowKey eq '2' or RowKey eq '3'") == two);
  CHECK(shape("PartitionKey eq 'p' and (RowKey eq '1' or RowKey eq '2')") ==
        "PartitionKey eq ? and (RowKey eq ? or ...)");
  CHECK(shape("A eq 1 or A eq 2 or B eq 3") == "A eq ? or ... or B eq ?");
  CHECK(shape("(A eq 1 and B eq 2) or (A eq 3 and B eq 4)") == "A eq ? and B eq ? or ...");
}

}  // namespace rocktable::TEST_FILE
