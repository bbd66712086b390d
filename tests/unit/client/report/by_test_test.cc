#include "client/report/by_test.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

ShapeStatistics shape_of(const std::string& account, const std::string& test, std::uint64_t scanned,
                         const std::string& fingerprint = "") {
  ShapeStatistics out;
  out.account = account;
  out.test = test;
  out.fingerprint = fingerprint;
  out.requests = 2;
  out.entities_scanned = scanned;
  out.entities_returned = 1;
  return out;
}

std::string names(const InsightReport& report) {
  std::string out;
  for (const TestCosts& costs : costs_by_test(report)) out += costs.name + ";";
  return out;
}

}  // namespace

TEST_CASE("the test that scans most is first, with its worst shape") {
  InsightReport report;
  report.shapes = {shape_of("a", "adds up", 10, "A eq ?"), shape_of("a", "lists", 100, "B eq ?"),
                   shape_of("a", "adds up", 50, "C eq ?"), shape_of("a", "", 70)};
  const auto costs = costs_by_test(report);
  REQUIRE(costs.size() == 3);
  CHECK(names(report) == "lists;other requests;adds up;");
  CHECK(costs[2].requests == 4);
  CHECK(costs[2].entities_scanned == 60);
  CHECK(costs[2].entities_returned == 2);
  CHECK(costs[2].worst.fingerprint == "C eq ?");
}

TEST_CASE("without names of tests, accounts stand for them") {
  InsightReport report;
  report.shapes = {shape_of("one", "", 1), shape_of("two", "", 2)};
  CHECK(names(report) == "account two;account one;");
}

TEST_CASE("one account and no test have nothing to tell apart") {
  InsightReport report;
  report.shapes = {shape_of("one", "", 1)};
  CHECK(names(report).empty());
}

}  // namespace rocktable::TEST_FILE
