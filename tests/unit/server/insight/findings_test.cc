// Findings that follow from the shape of requests: what gives one, and what nearly does.
#include "server/insight/findings.h"

#include <doctest/doctest.h>

#include <set>

#include "odata/insight/finding_catalog.h"

namespace rocktable::TEST_FILE {
namespace {

struct Case {
  QueryShape shape;
  ShapeSums statistics;
  std::uint64_t abandoned = 0;
};

// Of one request.
Case query(std::string_view plan, std::uint64_t scanned, std::uint64_t returned) {
  Case out;
  out.shape.operation = "QueryEntities";
  out.shape.plan = plan;
  out.statistics.requests = 1;
  out.statistics.entities_scanned = out.statistics.entities_scanned_here = out.statistics.most_scanned = scanned;
  out.statistics.entities_returned = returned;
  return out;
}

Case inserts(std::uint64_t requests, std::uint64_t conflicts) {
  Case out;
  out.shape.operation = "InsertEntity";
  out.statistics.requests = requests;
  out.statistics.conflicts = conflicts;
  return out;
}

std::string ids(const Case& one) {
  std::string out;
  for (const RequestFinding& finding : findings_of(one.shape, one.statistics, one.abandoned)) {
    CHECK(find_finding_kind(finding.id) != nullptr);
    out.append(out.empty() ? "" : " ").append(finding.id);
  }
  return out;
}

}  // namespace

TEST_CASE("scans are findings by their class") {
  CHECK(ids(query("table-scan", 20, 0)) == "table-scan");
  CHECK(ids(query("partition-range", 20, 20)) == "partition-range-scan");
  CHECK(ids(query("partition-scan", 1'000, 1'000)).empty());
  CHECK(ids(query("row-range", 1'000, 1'000)).empty());
  CHECK(ids(query("point", 1, 1)).empty());
}

TEST_CASE("a scan of a small table is no finding, however often it happens") {
  Case one = query("table-scan", 3, 3);
  CHECK(ids(one).empty());
  one.statistics.requests = 1'000;
  one.statistics.entities_scanned = 3'000;
  CHECK(ids(one).empty());
  one.statistics.continuations = 999;  // it was one query, in pages of three
  CHECK(ids(one) == "table-scan");
}

TEST_CASE("many small queries of a partition are no finding, whatever they return") {
  Case one = query("partition-scan", 3, 0);
  one.statistics.requests = 1'000;
  one.statistics.entities_scanned = 3'000;
  CHECK(ids(one).empty());
}

TEST_CASE("row keys that are joined by `or`: what rocktable reads is a second figure") {
  Case one = query("partition-scan", 5'000, 2);
  one.statistics.entities_scanned_here = 2;
  one.statistics.is_wider_in_cloud = true;
  CHECK(ids(one) == "or-across-rows");
  CHECK(findings_of(one.shape, one.statistics, 0).front().sentence ==
        "The service scans the partition for its rows: 5,000 entities scanned in the cloud by estimate (2 here), 2 "
        "returned, in 1 request.");
}

TEST_CASE("reads of which half meets no entity") {
  Case one;
  one.shape.operation = "GetEntity";
  one.statistics.requests = 40;
  one.statistics.not_found = 20;
  CHECK(ids(one) == "missing-reads");
  one.statistics.requests = 41;
  CHECK(ids(one).empty());
  one.statistics.requests = one.statistics.not_found = 19;
  CHECK(ids(one).empty());
}

TEST_CASE("updates of which a fifth is refused") {
  Case one;
  one.shape.operation = "MergeEntity";
  one.statistics.requests = 54;
  one.statistics.preconditions_failed = 40;
  one.statistics.not_found = 4;
  CHECK(ids(one) == "refused-updates");
  CHECK(findings_of(one.shape, one.statistics, 0).front().sentence ==
        "44 of 54 requests were refused: 40 because the entity has changed (412), 4 because there is none (404).");
  one.statistics.requests = 221;
  CHECK(ids(one).empty());
  one.shape.operation = "DeleteEntity";
  one.statistics.requests = one.statistics.not_found = 54;
  one.statistics.preconditions_failed = 9;
  CHECK(ids(one).empty());
}

TEST_CASE("a query that scans more than twenty entities for each one returned") {
  CHECK(ids(query("partition-scan", 210, 10)) == "scanned-per-returned");
  CHECK(ids(query("partition-scan", 200, 10)).empty());
  CHECK(ids(query("row-range", 100, 0)) == "scanned-per-returned");
  CHECK(ids(query("row-range", 99, 0)).empty());  // too few to tell
}

TEST_CASE("a filter with keys of several partitions") {
  Case one = query("table-scan", 20, 20);
  one.statistics.max_partitions = 2;
  CHECK(ids(one) == "or-across-partitions");
  one.statistics.max_partitions = 1;
  CHECK(ids(one) == "table-scan");
  one = query("table-scan", 19, 19);  // a small table
  one.statistics.max_partitions = 2;
  CHECK(ids(one).empty());
}

TEST_CASE("inserts of which a fifth meets an existing entity") {
  CHECK(ids(inserts(50, 10)) == "insert-conflicts");
  CHECK(ids(inserts(51, 10)).empty());
  CHECK(ids(inserts(9, 9)).empty());
}

TEST_CASE("pages that nobody continued") {
  Case one = query("row-range", 10, 10);
  one.abandoned = 1;
  CHECK(ids(one) == "abandoned-paging");
}

TEST_CASE("sentences say what is, with numbers") {
  const Case scan = query("table-scan", 3'000, 12);
  CHECK(findings_of(scan.shape, scan.statistics, 0).front().sentence ==
        "The service searches the whole table: 3,000 entities scanned, 12 returned, in 1 request.");
  const RequestFinding run = finding_of("account", "log20261122", {"n-plus-one", {25, "de", "GET /x", "client/1"}});
  CHECK(run.sentence == "25 point reads went one by one to rows of one partition, such as `de`.");
  CHECK(run.shape.table == "log#");
  CHECK(run.example == "GET /x");
}

TEST_CASE("each kind of observation has a sentence of its own") {
  std::set<std::string> sentences;
  for (const auto id :
       {"n-plus-one", "reads-across-partitions", "repeated-reads", "single-writes", "lost-update", "hot-partition",
        "append-only-keys", "unpadded-numbers", "near-limits", "repeated-create-table"}) {
    const RequestFinding finding = finding_of("account", "orders", {id, {1'000, "subject", "", ""}});
    CHECK(find_finding_kind(id) != nullptr);
    sentences.insert(finding.sentence);
  }
  CHECK(sentences.size() == 10);
}

TEST_CASE("a long key is cut between characters") {
  const Evidence evidence{1, std::string(99, 'x') + "\u20ac" + std::string(100, 'y'), {}, {}};
  const std::string sentence = finding_of("a", "t", {"hot-partition", evidence}).sentence;
  CHECK(sentence == "The partition `" + std::string(99, 'x') + "`... took 1 request, most of those to the table.");
}

}  // namespace rocktable::TEST_FILE
