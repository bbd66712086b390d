#include "odata/advice/query_terms.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

QueryTerms terms_of(std::string_view fingerprint, std::string_view example = "") {
  const auto terms = query_terms(fingerprint, example);
  REQUIRE(terms.has_value());
  return *terms;
}

std::vector<std::string> names_of(const std::vector<ComparedProperty>& properties) {
  std::vector<std::string> out;
  for (const auto& property : properties) out.push_back(property.name);
  return out;
}

}  // namespace

TEST_CASE("keys and properties are told apart") {
  const auto terms = terms_of("PartitionKey eq ? and Status eq ? and Total gt ? and IsOpen and Status eq ?");
  CHECK(terms.names_partition);
  CHECK_FALSE(terms.names_row);
  CHECK(names_of(terms.equal) == std::vector<std::string>{"Status", "IsOpen"});
  CHECK(names_of(terms.ranged) == std::vector<std::string>{"Total"});
  CHECK_FALSE(terms.has_others);
}

TEST_CASE("a range has the bounds that the filter gives") {
  const auto terms = terms_of("PartitionKey eq ? and RowKey ge ? and RowKey lt ? and Total gt ? and Age le ?");
  REQUIRE(terms.row_range.has_value());
  CHECK(terms.row_range->has_lower_bound);
  CHECK(terms.row_range->has_upper_bound);
  CHECK_FALSE(terms.partition_range.has_value());
  CHECK(terms.ranged.at(0).has_lower_bound);
  CHECK_FALSE(terms.ranged.at(0).has_upper_bound);
  CHECK(terms.ranged.at(1).has_upper_bound);
  CHECK(terms_of("PartitionKey ge ? and PartitionKey lt ?").partition_range.has_value());
}

TEST_CASE("an `or` is of partitions, of rows, or of something else") {
  CHECK(terms_of("PartitionKey eq ? or PartitionKey eq ?").joins_partitions_by_or);
  CHECK(terms_of("PartitionKey eq ? or ...").joins_partitions_by_or);
  CHECK(terms_of("PartitionKey eq ? and RowKey eq ? or ...").joins_partitions_by_or);
  CHECK(terms_of("PartitionKey eq ? and (RowKey eq ? or ...)").joins_rows_by_or);
  CHECK(terms_of("PartitionKey eq ? and (RowKey eq ? or RowKey eq ?)").names_partition);
  CHECK(terms_of("PartitionKey eq ? and (RowKey eq ? or Age eq ?)").has_others);
  CHECK(terms_of("PartitionKey eq ? or Age eq ?").has_others);
  CHECK_FALSE(terms_of("PartitionKey eq ? or Age eq ?").joins_partitions_by_or);
  CHECK(terms_of("not (Age eq ?)").has_others);
  CHECK(terms_of("RowKey ne ?").has_others);
}

TEST_CASE("types come from an example") {
  const auto terms = terms_of("Created ge ? and Age eq ? and Name eq ? and Number eq ?",
                              "GET /a/orders()?$top=5&$filter=Created%20ge%20datetime'2026-11-01T00:00:00Z'%20and%20"
                              "Age+eq+30%20and%20Name%20eq%20'Ada'%20and%20Number%20eq%2030L&x=1");
  CHECK(terms.ranged.at(0).type == EdmType::DateTime);
  CHECK(terms.equal.at(0) == ComparedProperty{"Age", EdmType::Int32});
  CHECK(terms.equal.at(1) == ComparedProperty{"Name", EdmType::String});
  CHECK(terms.equal.at(2).type == EdmType::Int64);
  CHECK(terms_of("Age eq ?", "GET /a/t()?%24filter=Age%20eq%2030").equal.at(0).type == EdmType::Int32);
  CHECK(terms_of("Age eq ?", "GET /a/t()?$filter=Age%20eq%20").equal.at(0).type == EdmType::String);  // cut
  CHECK(terms_of("Age eq ?", "GET /a/t()").equal.at(0).type == EdmType::String);
}

TEST_CASE("what is no filter has no terms") {
  for (const char* const text :
       {"", "*", "PartitionKey eq ? and Na...#123", "? ? ?", "Age eq ? or", "Age eq ? or ... x"})
    CHECK_FALSE(query_terms(text, "").has_value());
}

}  // namespace rocktable::TEST_FILE
