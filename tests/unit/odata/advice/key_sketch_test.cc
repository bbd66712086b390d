#include "odata/advice/key_sketch.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

// `PARTITION | ROW | FILTER` of the sketch for a fingerprint; the name of a change without a second entity; or `none`.
std::string sketch_of(std::string_view fingerprint) {
  const auto terms = query_terms(fingerprint, "");
  REQUIRE(terms.has_value());
  const auto sketch = key_sketch(*terms);
  if (!sketch) return "none";
  if (sketch->change == KeySketch::Change::QueryOfEach) return "a query of each partition";
  if (sketch->change == KeySketch::Change::ReadOfEach) return "a read of each row";
  return to_string(sketch->partition_key) + " | " + to_string(sketch->row_key) + " | " + filter_of(*sketch);
}

}  // namespace

TEST_CASE("a property that a query of a partition compares becomes the beginning of the RowKey") {
  CHECK(sketch_of("PartitionKey eq ? and Status eq ?") ==
        "{PartitionKey} | Status:{Status}:{RowKey} | PartitionKey eq '{PartitionKey}' and RowKey ge "
        "'Status:{Status}:' and RowKey lt 'Status:{Status};'");
  CHECK(sketch_of("PartitionKey eq ? and Total gt ?") ==
        "{PartitionKey} | Total:{Total}:{RowKey} | PartitionKey eq '{PartitionKey}' and RowKey ge 'Total:{Total}' "
        "and RowKey lt 'Total;'");
  CHECK(sketch_of("PartitionKey eq ? and Status eq ? and Created ge ? and Created lt ?") ==
        "{PartitionKey} | Status:{Status}:{Created}:{RowKey} | PartitionKey eq '{PartitionKey}' and RowKey ge "
        "'Status:{Status}:{Created}' and RowKey lt 'Status:{Status}:{Created}'");
  CHECK(sketch_of("PartitionKey eq ? and RowKey ge ? and Status eq ? and Kind eq ?") ==
        "{PartitionKey} | Status,Kind:{Status}:{Kind}:{RowKey} | PartitionKey eq '{PartitionKey}' and RowKey ge "
        "'Status,Kind:{Status}:{Kind}:{RowKey}' and RowKey lt 'Status,Kind:{Status}:{Kind};'");
}

TEST_CASE("what a query of the table compares becomes the PartitionKey") {
  CHECK(sketch_of("Customer eq ?") ==
        "Customer:{Customer} | {PartitionKey}:{RowKey} | PartitionKey eq 'Customer:{Customer}'");
  CHECK(sketch_of("Customer eq ? and Total ge ?") ==
        "Customer:{Customer} | {Total}:{PartitionKey}:{RowKey} | PartitionKey eq 'Customer:{Customer}' and RowKey ge "
        "'{Total}'");
  CHECK(sketch_of("RowKey eq ?") == "RowKey:{RowKey} | {PartitionKey} | PartitionKey eq 'RowKey:{RowKey}'");
  CHECK(sketch_of("PartitionKey ge ? and PartitionKey lt ? and Status eq ?") ==
        "Status:{Status} | {PartitionKey}:{RowKey} | PartitionKey eq 'Status:{Status}' and RowKey ge "
        "'{PartitionKey}' and RowKey lt '{PartitionKey}'");
  CHECK(sketch_of("Total ge ? and Total lt ?") ==
        "Total | {Total}:{PartitionKey}:{RowKey} | PartitionKey eq 'Total' and RowKey ge '{Total}' and RowKey lt "
        "'{Total}'");
}

TEST_CASE("keys that `or` joins are asked for one by one") {
  CHECK(sketch_of("PartitionKey eq ? or ...") == "a query of each partition");
  CHECK(sketch_of("PartitionKey eq ? and (RowKey eq ? or ...)") == "a read of each row");
}

TEST_CASE("there is no sketch where keys serve already, or cannot") {
  for (const char* const text :
       {"PartitionKey eq ?", "PartitionKey eq ? and RowKey eq ?", "PartitionKey eq ? and RowKey eq ? and Age gt ?",
        "PartitionKey ge ? and PartitionKey lt ?", "PartitionKey eq ? and RowKey ge ?", "Status ne ?", "not (Age eq ?)",
        "Status eq ? or Kind eq ?", "Timestamp ge ?", "RowKey eq ? or RowKey eq ?"})
    CHECK_MESSAGE(sketch_of(text) == "none", text);
}

TEST_CASE("a key has three properties at most, and never the Timestamp, which the service sets") {
  CHECK(sketch_of("A eq ? and B eq ? and C eq ? and D eq ? and Timestamp ge ?") ==
        "A,B,C:{A}:{B}:{C} | {PartitionKey}:{RowKey} | PartitionKey eq 'A,B,C:{A}:{B}:{C}'");
}

}  // namespace rocktable::TEST_FILE
