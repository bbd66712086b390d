// What the service reads for a query: the rows of the table in docs/insight.md.
#include "odata/insight/cloud_plan.h"

#include <doctest/doctest.h>

#include <string>

#include "odata/filter_parser.h"

namespace rocktable::TEST_FILE {
namespace {

std::string plan_in_cloud(std::string_view filter) {
  return to_string(cloud_plan(std::optional<Filter>(parse_filter(filter).value())));
}

std::string plan_here(std::string_view filter) {
  return to_string(plan_query(std::optional<Filter>(parse_filter(filter).value())));
}

}  // namespace

TEST_CASE("the service narrows a query by comparisons of keys that `and` joins, as rocktable does") {
  const std::string_view filters[] = {
      "PartitionKey eq 'a' and RowKey eq '1'",
      "PartitionKey eq 'a' and RowKey eq '1' and Age gt 5",
      "PartitionKey eq 'a' and RowKey ge '1' and RowKey lt '5'",
      "PartitionKey eq 'a' and RowKey ge '1' and RowKey lt '5' and Age gt 5",
      "PartitionKey eq 'a'",
      "PartitionKey eq 'a' and Age gt 5",
      "PartitionKey eq 'a' and Timestamp gt datetime'2026-01-01T00:00:00Z'",
      "PartitionKey ge 'a' and PartitionKey lt 'b'",
      "PartitionKey ge 'a' and PartitionKey lt 'b' and RowKey eq '1'",
      "RowKey eq '1'",
      "Age gt 5",
      "Married",
      "PartitionKey eq 'a' and PartitionKey eq 'b'",
  };
  for (const std::string_view filter : filters) {
    CAPTURE(filter);
    const std::optional<Filter> tree = parse_filter(filter).value();
    CHECK(plan_in_cloud(filter) == plan_here(filter));
    CHECK_FALSE(cloud_plan_beside(plan_query(tree), tree));
  }
  CHECK(to_string(cloud_plan(std::nullopt)) == "table-scan [(,) end)");
  CHECK_FALSE(cloud_plan_beside(plan_query(std::nullopt), std::nullopt));
}

TEST_CASE("`or`, `not` and `ne` narrow nothing in the service") {
  const struct {
    std::string_view filter, plan;
  } cases[] = {
      {"PartitionKey eq 'a' and (RowKey eq '1' or RowKey eq '2')", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' and (RowKey eq '1' or RowKey ge '5' and RowKey lt '7')", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' and RowKey ge '1' and (RowKey lt '3' or RowKey eq '9')", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' and RowKey ne '1'", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' and not (RowKey lt '1')", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' or PartitionKey eq 'b'", "table-scan [(,) end)"},
      {"(PartitionKey eq 'a' or PartitionKey eq 'b') and RowKey eq '1'", "table-scan [(,) end)"},
      {"PartitionKey eq 'a' and RowKey eq '1' or PartitionKey eq 'b' and RowKey eq '2'", "table-scan [(,) end)"},
      {"PartitionKey eq 'a' and RowKey eq '1' or PartitionKey eq 'a' and RowKey eq '2'", "table-scan [(,) end)"},
      {"PartitionKey eq 'a' or Age gt 5", "table-scan [(,) end)"},
      {"PartitionKey ne 'a'", "table-scan [(,) end)"},
      {"not (PartitionKey eq 'a')", "table-scan [(,) end)"},
      {"not (PartitionKey ne 'a') and RowKey eq '1'", "table-scan [(,) end)"},
      {"(PartitionKey eq 'a' or PartitionKey eq 'c') and PartitionKey ge 'b'", "partition-range [(b,) end)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    CHECK(plan_in_cloud(c.filter) == c.plan);
  }
}

TEST_CASE("an `or` over properties leaves the range of rows beside it") {
  CHECK(plan_in_cloud("PartitionKey eq 'a' and RowKey ge '1' and RowKey lt '5' and (Age gt 5 or Married)") ==
        "row-range [(a,1) (a,5))");
  CHECK(plan_in_cloud("PartitionKey eq 'a' and RowKey eq '1' and not (Age gt 5)") == "point [(a,1) (a,1+))");
  CHECK(plan_in_cloud("PartitionKey eq 'a' and RowKey ge '1' and RowKey ne '3'") == "row-range [(a,1) (a+,))");
}

TEST_CASE("the service reads at least what rocktable reads") {
  for (const std::string_view filter :
       {"PartitionKey eq 'a' and (RowKey eq '1' or RowKey eq '2')", "PartitionKey ne 'a'",
        "(PartitionKey eq 'a' or PartitionKey eq 'b') and RowKey gt '1'",
        "not (PartitionKey eq 'a' and RowKey eq '1')"}) {
    CAPTURE(filter);
    const std::optional<Filter> tree = parse_filter(filter).value();
    const QueryPlan here = plan_query(tree);
    const auto cloud = cloud_plan_beside(here, tree);
    REQUIRE(cloud);
    CHECK(cloud->plan_class >= here.plan_class);
    for (const KeyRange& range : here.ranges) CHECK(intersect({range}, cloud->ranges.front()) == KeyRanges{range});
  }
}

}  // namespace rocktable::TEST_FILE
