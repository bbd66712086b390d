// The model of reports: reading, writing, adding up.
#include "client/report/insight_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/client/report/report_fixture.h"

namespace rocktable::TEST_FILE {
namespace {

std::string refusal_of(const char* text) {
  try {
    parse_insight_report(nlohmann::json::parse(text));
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

ShapeStatistics shape_with(std::uint64_t scanned, std::uint64_t returned) {
  ShapeStatistics out;
  out.entities_scanned = scanned;
  out.entities_returned = returned;
  return out;
}

TEST_CASE("A report that is read and written is the same document") {
  const auto document = nlohmann::json::parse(read_file(report_file("report.json")));
  CHECK(to_json(parse_insight_report(document)) == document);
}

TEST_CASE("Members that a report lacks have defaults, and unknown ones are ignored") {
  const auto report = parse_insight_report({{"version", 1}, {"shapes", {{{"requests", 3}, {"new", true}}}}});
  REQUIRE(report.shapes.size() == 1);
  CHECK(report.shapes[0].requests == 3);
  CHECK(report.shapes[0].partitions_exact);
  CHECK(report.findings.empty());
}

TEST_CASE("What callers needed is of the report, and a document of its own") {
  const auto document = nlohmann::json::parse(read_file(report_file("report.json")));
  const InsightReport report = parse_insight_report(document);
  REQUIRE(report.permissions);
  REQUIRE(report.permissions->callers.size() == 5);
  const CallerNeeds& shop = report.permissions->callers[0];
  CHECK(shop.roles->built_in.size() == 2);
  CHECK(shop.roles->custom.starts_with("{\n  \"Actions\": [\n"));
  CHECK_FALSE(shop.sas);
  CHECK_FALSE(report.permissions->callers[1].sas->first_partition);
  CHECK_FALSE(report.permissions->callers[2].roles);
  CHECK(merged(report).permissions->callers.size() == 5);
  CHECK(to_json(parse_permission_needs(document["permissions"])) == document["permissions"]);
  CHECK_FALSE(to_json(InsightReport()).contains("permissions"));
}

TEST_CASE("What callers needed of another form is refused with the place") {
  const auto refusal = [](const char* caller) {
    return refusal_of((R"({"version":1,"permissions":{"callers":[)" + std::string(caller) + "]}}").c_str());
  };
  CHECK(refusal("1").find("permissions.callers[0] must be an object") != std::string::npos);
  CHECK(refusal(R"({"tables":[1]})").find("callers[0].tables must be a list of texts") != std::string::npos);
  CHECK(refusal(R"({"tables":"a"})").find("callers[0].tables must be a list") != std::string::npos);
  CHECK(refusal(R"({"sas":{"spk":1}})").find("sas.spk must be text") != std::string::npos);
  CHECK(refusal(R"({"builtInRoles":[],"customRole":"x"})").find("customRole must be an object") != std::string::npos);
  CHECK(refusal(R"({"builtInRoles":[]})") == "");
}

TEST_CASE("A report of logs has no numbers of entities") {
  const nlohmann::json document = {
      {"version", 1},
      {"shapes", {{{"requests", 3}, {"unbilled", 1}}}},
      {"logs", {{"files", 2}, {"lines", 9}, {"broken", 1}, {"firstBroken", "a.log:3: odd"}}}};
  const auto report = parse_insight_report(document);
  CHECK_FALSE(report.shapes.at(0).counts_entities);
  REQUIRE(report.logs);
  CHECK(report.logs->lines == 9);
  CHECK(report.logs->first_broken == "a.log:3: odd");
  const nlohmann::json written = to_json(report);
  CHECK(written["logs"]["files"] == 2);
  for (const char* const name : {"entitiesScanned", "entitiesReturned", "entitiesWritten", "bytesRead"})
    CHECK_FALSE(written["shapes"][0].contains(name));
  CHECK(to_json(parse_insight_report(written)) == written);
  CHECK_FALSE(merged(report).shapes.at(0).counts_entities);
  CHECK_FALSE(to_json(fixed_report()).contains("logs"));
}

TEST_CASE("Another document is refused with its first fault") {
  struct {
    const char *text, *sentence;
  } cases[] = {
      {"[]", "this is not a report of requests: it must be an object"},
      {"{}", "this is not a report of requests: it has no version"},
      {R"({"version":2})", "this report of requests has version 2; this program reads version 1"},
      {R"({"version":"1"})", "this is not a report of requests: version must be a whole number of at least 0"},
      {R"({"version":1,"shapes":{}})", "this is not a report of requests: shapes must be a list"},
      {R"({"version":1,"shapes":[{},3]})", "this is not a report of requests: shapes[1] must be an object"},
      {R"({"version":1,"shapes":[{"requests":-1}]})",
       "this is not a report of requests: shapes[0].requests must be a whole number of at least 0"},
      {R"({"version":1,"shapes":[{"milliseconds":{"p99":"1"}}]})",
       "this is not a report of requests: shapes[0].milliseconds.p99 must be a number"},
      {R"({"version":1,"findings":[{"id":null}]})", "this is not a report of requests: findings[0].id must be text"},
  };
  for (const auto& c : cases) CHECK(refusal_of(c.text) == c.sentence);
}

TEST_CASE("Shapes that differ in account, client and test are added up") {
  const InsightReport report = fixed_report();
  const InsightReport sum = merged(report);
  CHECK(sum.shapes.size() == report.shapes.size() - 1);
  const auto found = std::find_if(sum.shapes.begin(), sum.shapes.end(),
                                  [](const ShapeStatistics& shape) { return shape.table == "log#"; });
  REQUIRE(found != sum.shapes.end());
  CHECK(found->account.empty());
  CHECK(found->client.empty());
  CHECK(found->test.empty());
  CHECK(found->requests == 4);
  CHECK(found->entities_scanned == 4000);
  CHECK(found->entities_returned == 12);
  CHECK(found->milliseconds.p50 == doctest::Approx((3 * 1.2 + 2.2) / 4));
  CHECK(found->milliseconds.p99 == 3.4);
  CHECK(found->partitions == 12);
  CHECK_FALSE(found->partitions_exact);
  CHECK(found->example == report.shapes[0].example);
}

TEST_CASE("What all shapes have in common stays") {
  InsightReport report = fixed_report();
  report.shapes = {report.shapes[0], report.shapes[0]};
  const InsightReport sum = merged(report);
  REQUIRE(sum.shapes.size() == 1);
  CHECK(sum.shapes[0].account == "devstoreaccount1");
  CHECK(sum.shapes[0].client == "azsdk-js-data-tables/13.1.1");
  CHECK(sum.shapes[0].requests == 6);
}

TEST_CASE("Shapes that differ in table, operation, filter, select or class stay apart") {
  for (const auto member : {&ShapeStatistics::table, &ShapeStatistics::operation, &ShapeStatistics::fingerprint,
                            &ShapeStatistics::select, &ShapeStatistics::plan}) {
    InsightReport report;
    report.shapes.resize(2);
    report.shapes[1].*member = "other";
    CHECK(merged(report).shapes.size() == 2);
  }
}

TEST_CASE("The worst shape is first: by ratio, then by entities scanned, then by requests") {
  InsightReport report;
  report.shapes = {shape_with(0, 0), shape_with(10, 10), shape_with(100, 10), shape_with(1000, 100), shape_with(5, 5)};
  for (std::size_t i = 0; i < report.shapes.size(); ++i) report.shapes[i].table = std::to_string(i);
  report.shapes.push_back(report.shapes[0]);
  report.shapes.back().table = "more requests";
  report.shapes.back().requests = 7;
  std::string order;
  for (const auto& shape : merged(report).shapes) order += shape.table + " ";
  CHECK(order == "3 2 1 4 more requests 0 ");
}

TEST_CASE("Findings of one shape are added up, with the sentence of the highest count") {
  InsightReport report;
  report.findings = {{"n-plus-one", "a", "orders", "GetEntity", "", "c", "", 20, "20 point reads", "small"},
                     {"n-plus-one", "b", "orders", "GetEntity", "", "c", "", 100, "100 point reads", "large"},
                     {"n-plus-one", "a", "people", "GetEntity", "", "c", "", 30, "30 point reads", "other"}};
  const auto findings = merged(report).findings;
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].count == 120);
  CHECK(findings[0].sentence == "100 point reads");
  CHECK(findings[0].example == "large");
  CHECK(findings[0].account.empty());
  CHECK(findings[0].client == "c");
  CHECK(findings[1].table == "people");
}

TEST_CASE("The ratio of a shape that returned nothing is what it scanned") {
  CHECK(scanned_per_returned(shape_with(0, 0)) == 0);
  CHECK(scanned_per_returned(shape_with(90, 0)) == 90);
  CHECK(scanned_per_returned(shape_with(3000, 12)) == 250);
  CHECK(scanned_per_returned(shape_with(5, 10)) == 0.5);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
