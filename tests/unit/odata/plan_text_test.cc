// The keys that a query reads, in words.
#include "odata/plan_text.h"

#include <doctest/doctest.h>

#include <string>

#include "odata/filter_parser.h"
#include "odata/query_plan.h"

namespace rocktable::TEST_FILE {
namespace {

std::string words(std::string_view filter) {
  std::string out;
  for (const KeyRange& range : plan_query(parse_filter(filter).value()).ranges)
    out += (out.empty() ? "" : "; ") + describe(range);
  return out;
}

TEST_CASE("ranges of keys in words") {
  CHECK(words("PartitionKey eq 'a' and RowKey eq 'it''s'") == "PartitionKey = 'a', RowKey = 'it''s'");
  CHECK(words("PartitionKey eq 'a'") == "PartitionKey = 'a'");
  CHECK(words("PartitionKey eq 'a' and RowKey ge '5' and RowKey lt '6'") ==
        "PartitionKey = 'a', RowKey from '5' to before '6'");
  CHECK(words("PartitionKey eq 'a' and RowKey gt '5'") == "PartitionKey = 'a', RowKey after '5'");
  CHECK(words("PartitionKey eq 'a' and RowKey le '5'") == "PartitionKey = 'a', RowKey to '5'");
  CHECK(words("PartitionKey ge 'a' and PartitionKey lt 'c'") == "PartitionKey from 'a' to before 'c'");
  CHECK(words("PartitionKey gt 'a'") == "PartitionKey after 'a'");
  CHECK(words("PartitionKey le 'a'") == "PartitionKey to 'a'");
  CHECK(words("Age gt 30") == "the whole table");
  CHECK(words("PartitionKey eq 'a' or PartitionKey eq 'b'") == "PartitionKey = 'a'; PartitionKey = 'b'");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
