#include "odata/advice/design_advice.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace rocktable::TEST_FILE {
namespace {

// Two queries of six pages, which scanned 6,000 entities and returned 5.
SeenRequests scans_of(std::string_view fingerprint) {
  return {.finding = "table-scan",
          .table = "orders",
          .fingerprint = fingerprint,
          .example = "GET /a/orders()?$filter=Customer%20eq%20'Ada'",
          .client = "azsdk-python-data-tables/12.4.2",
          .requests = 12,
          .continuations = 10,
          .scanned = 6000,
          .returned = 5};
}

}  // namespace

TEST_CASE("advice names the table, the properties, the keys, and what a query then reads") {
  const auto advice = design_advice(scans_of("Customer eq ?"));
  REQUIRE(advice.has_value());
  CHECK(advice->sentence ==
        "Store each entity of `orders` a second time, with the PartitionKey `Customer:{Customer}` and the RowKey "
        "`{PartitionKey}:{RowKey}`, and ask for `PartitionKey eq 'Customer:{Customer}'`. A query then reads about 3 "
        "entities instead of 3,000.");
  CHECK(advice->why.find("do not begin with `Customer`") != std::string::npos);
  CHECK(advice->language == "python");
  CHECK(advice->code.size() == 5);
  CHECK(to_json(advice).at("code").get<std::string>().ends_with("\n"));
  CHECK(to_json(std::nullopt).is_null());
}

TEST_CASE("without an SDK that is known there are keys, and no code") {
  auto seen = scans_of("Customer eq ?");
  seen.client = "curl/8";
  const auto advice = design_advice(seen);
  REQUIRE(advice.has_value());
  CHECK(advice->language.empty());
  CHECK(advice->code.empty());
}

TEST_CASE("point reads and single writes are counted as requests") {
  const SeenRequests reads{
      .finding = "n-plus-one", .table = "orders", .fingerprint = {}, .example = {}, .client = {}, .requests = 250};
  CHECK(design_advice(reads).value().sentence.ends_with("instead of 250 requests."));
  auto writes = reads;
  writes.finding = "single-writes";
  CHECK(design_advice(writes).value().sentence ==
        "Write the entities of a partition by entity group transactions of up to 100: 3 requests instead of 250.");
}

TEST_CASE("there is no advice without a gain, and for findings that keys do not change") {
  auto seen = scans_of("Customer eq ?");
  seen.returned = seen.scanned;
  CHECK_FALSE(design_advice(seen).has_value());  // the query wants all that it reads
  seen.returned = seen.scanned / 2;
  CHECK_FALSE(design_advice(seen).has_value());  // not worth that entities are stored twice
  seen.returned = seen.scanned / 4;
  CHECK(design_advice(seen).has_value());
  for (const char* const id : {"hot-partition", "lost-update", "abandoned-paging", "unheard-of"}) {
    seen = scans_of("Customer eq ?");
    seen.finding = id;
    CHECK_FALSE(design_advice(seen).has_value());
  }
  CHECK_FALSE(design_advice(scans_of("")).has_value());
  CHECK_FALSE(design_advice(scans_of("*")).has_value());
}

}  // namespace rocktable::TEST_FILE
