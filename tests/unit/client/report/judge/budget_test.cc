#include "client/report/judge/budget.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "odata/insight/finding_catalog.h"
#include "tests/unit/client/report/report_samples.h"

namespace rocktable::TEST_FILE {
namespace {

std::string refusal_of_budget(const std::string& text) {
  try {
    static_cast<void>(parse_budget(text, "b.json"));
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

// The names that the reader allows in the object around `"?"`.
std::set<std::string> allowed_names(const std::string& text) {
  const std::string refusal = refusal_of_budget(text);
  const std::string before = "unknown property; allowed: ";
  const auto at = refusal.find(before);
  REQUIRE_MESSAGE(at != refusal.npos, refusal);
  std::set<std::string> out;
  std::string names = refusal.substr(at + before.size()) + ", ";
  for (std::size_t end = 0; (end = names.find(", ")) != names.npos; names.erase(0, end + 2))
    out.insert(names.substr(0, end));
  return out;
}

std::set<std::string> property_names(const nlohmann::json& schema) {
  REQUIRE(schema.at("additionalProperties") == false);
  std::set<std::string> out;
  for (const auto& [name, value] : schema.at("properties").items()) out.insert(name);
  return out;
}

}  // namespace

TEST_CASE("a budget is read with the places of its limits") {
  const Budget budget = parse_budget(
      "{\"version\": 1, \"$schema\": \"x\",\n"
      " \"default\": {\"maxClass\": \"row-range\", \"maxScannedPerReturned\": 2.5},\n"
      " \"rules\": [{\"table\": \"Log20261121\", \"operation\": \"QueryEntities\", \"maxClass\": "
      "\"table-scan\"},\n"
      "   {\"fingerprint\": \"A eq ?\", \"client\": \"c\", \"test\": \"t\", \"allow\": true, \"reason\": "
      "\"why\"}],\n"
      " \"totals\": {\"transactions\": 5, \"entitiesScanned\": 0},\n"
      " \"findings\": {\"n-plus-one\": \"error\", \"near-limits\": \"off\", \"table-scan\": \"warn\"}}",
      "dir/b.json");
  CHECK(budget.file == "dir/b.json");
  CHECK(budget.defaults.max_class->value == PlanClass::RowRange);
  CHECK(budget.defaults.max_class->place == FilePlace{2, 26});
  CHECK(budget.defaults.max_scanned_per_returned->value == 2.5);
  REQUIRE(budget.rules.size() == 2);
  CHECK(budget.rules[0].table == "log#");
  CHECK(budget.rules[0].operation == "QueryEntities");
  CHECK(budget.rules[0].limits.max_class->value == PlanClass::TableScan);
  CHECK_FALSE(budget.rules[0].limits.max_scanned_per_returned);
  CHECK(budget.rules[0].place == FilePlace{3, 12});
  CHECK_FALSE(budget.rules[1].table);
  CHECK(budget.rules[1].fingerprint == "A eq ?");
  CHECK(budget.rules[1].client == "c");
  CHECK(budget.rules[1].test == "t");
  CHECK(budget.rules[1].allow);
  CHECK(budget.rules[1].reason == "why");
  CHECK(budget.totals.transactions->value == 5);
  CHECK(budget.totals.entities_scanned->value == 0);
  CHECK(budget.findings.at("n-plus-one") == Level::Error);
  CHECK(budget.findings.at("near-limits") == Level::Off);
  CHECK(budget.findings.at("table-scan") == Level::Warn);
}

TEST_CASE("a budget without limits has the usual default") {
  const Budget budget = budget_from("");
  CHECK(budget.defaults.max_class->value == PlanClass::PartitionScan);
  CHECK(budget.defaults.max_scanned_per_returned->value == 20);
  CHECK(budget.defaults.max_class->place.line == 0);
  const Budget half = budget_from("\"default\": {\"maxClass\": \"point\"}");
  CHECK(half.defaults.max_class->value == PlanClass::Point);
  CHECK(half.defaults.max_scanned_per_returned->value == 20);
}

TEST_CASE("a mistake in a budget is told with its line and column") {
  const struct {
    std::string text, refusal;
  } cases[] = {
      {"", "b.json:1:1: this is not JSON: it is empty"},
      {"[]", "b.json:1:1: must be an object, but is an array"},
      {"{}", "b.json:1:1: the property version is missing"},
      {R"({"version": 2})", "b.json:1:13: version: must be from 1 to 1"},
      {"{\"version\": 1,\n \"rule\": []}",
       "b.json:2:10: rule: unknown property; allowed: $schema, version, default, rules, totals, findings"},
      {R"({"version": 1, "default": {"maxClass": "scan"}})",
       "b.json:1:40: default.maxClass: `scan` is not a class of work; allowed: point, row-range, "
       "partition-scan, partition-range, table-scan"},
      {R"({"version": 1, "default": {"maxScannedPerReturned": 0.5}})",
       "b.json:1:53: default.maxScannedPerReturned: must be from 1 to 1e+09"},
      {"{\"version\": 1, \"rules\": [\n{\"maxClass\": \"point\"}]}",
       "b.json:2:1: rules[0]: must have at least one of table, operation, fingerprint, client and test"},
      {"{\"version\": 1, \"rules\": [\n{\"table\": \"a\", \"allow\": true}]}",
       "b.json:2:1: rules[0]: allow needs a reason"},
      {"{\"version\": 1, \"rules\": [\n{\"table\": \"a\", \"allow\": false, \"reason\": \"x\"}]}",
       "b.json:2:25: rules[0].allow: must be true, or be left out"},
      {"{\"version\": 1, \"rules\": [\n{\"table\": \"a\", \"allow\": true, \"reason\": \"x\", \"maxClass\": "
       "\"point\"}]}",
       "b.json:2:1: rules[0]: must not have both allow and a limit: allow permits everything"},
      {"{\"version\": 1, \"rules\": [\n{\"table\": \"a\"}]}",
       "b.json:2:1: rules[0]: must have at least one of maxClass, maxScannedPerReturned, minScanned and allow"},
      {R"({"version": 1, "totals": {"transactions": -1}})",
       "b.json:1:43: totals.transactions: must be from 0 to 9007199254740991"},
      {R"({"version": 1, "findings": {"n-plus-two": "off"}})",
       "b.json:1:43: findings.n-plus-two: there is no such finding; docs/insight.md lists them"},
      {R"({"version": 1, "findings": {"n-plus-one": "info"}})",
       "b.json:1:43: findings.n-plus-one: must be error, warn or off"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(refusal_of_budget(c.text) == c.refusal);
  }
}

TEST_CASE("a rule is more specific by its fingerprint than by all others, and so on") {
  const Budget budget = budget_from(
      R"("rules": [{"client": "c", "maxClass": "point"}, {"test": "t", "maxClass": "point"},
      {"table": "a", "maxClass": "point"}, {"operation": "GetEntity", "maxClass": "point"},
      {"operation": "GetEntity", "table": "a", "test": "t", "client": "c", "maxClass": "point"},
      {"fingerprint": "", "maxClass": "point"}])");
  for (std::size_t i = 1; i < budget.rules.size(); ++i) {
    CAPTURE(i);
    CHECK(budget.rules[i - 1].specificity() < budget.rules[i].specificity());
  }
}

TEST_CASE("what is written is read as the same budget") {
  const Budget budget = budget_from(
      R"("default": {"maxClass": "point", "maxScannedPerReturned": 1.5, "minScanned": 7},
      "rules": [{"table": "a#", "operation": "o", "fingerprint": "f", "client": "c", "test": "t",
                 "maxClass": "table-scan", "maxScannedPerReturned": 30},
                {"fingerprint": "", "allow": true, "reason": "all are shown"}],
      "totals": {"transactions": 1, "entitiesScanned": 2}, "findings": {"n-plus-one": "error", "near-limits": "off"})");
  const std::string text = to_json_text(budget);
  CHECK(to_json_text(parse_budget(text, "b.json")) == text);
  CHECK(nlohmann::json::parse(text) == nlohmann::json::parse(R"({"$schema": "rocktable.budget.schema.json",
      "version": 1, "default": {"maxClass": "point", "maxScannedPerReturned": 1.5, "minScanned": 7},
      "rules": [{"table": "a#", "operation": "o", "fingerprint": "f", "client": "c", "test": "t",
                 "maxClass": "table-scan", "maxScannedPerReturned": 30},
                {"fingerprint": "", "allow": true, "reason": "all are shown"}],
      "totals": {"transactions": 1, "entitiesScanned": 2},
      "findings": {"n-plus-one": "error", "near-limits": "off"}})"));
}

TEST_CASE("the schema has the names that the reader allows") {
  const auto schema = nlohmann::json::parse(kBudgetSchema);
  const auto& properties = schema.at("properties");
  CHECK(property_names(schema) == allowed_names(R"({"?": 1})"));
  CHECK(property_names(properties.at("default")) == allowed_names(R"({"version": 1, "default": {"?": 1}})"));
  CHECK(property_names(properties.at("totals")) == allowed_names(R"({"version": 1, "totals": {"?": 1}})"));
  CHECK(property_names(properties.at("rules").at("items")) == allowed_names(R"({"version": 1, "rules": [{"?": 1}]})"));
  CHECK(properties.at("rules").at("maxItems") == 1000);
  std::set<std::string> ids;
  for (const FindingKind& kind : finding_kinds()) ids.emplace(kind.id);
  CHECK(property_names(properties.at("findings")) == ids);
  for (const auto& name : schema.at("definitions").at("maxClass").at("enum"))
    CHECK(refusal_of_budget(R"({"version": 1, "default": {"maxClass": )" + name.dump() + "}}").empty());
  CHECK(schema.at("definitions").at("maxClass").at("enum").size() == 5);
  for (const auto& name : schema.at("definitions").at("level").at("enum"))
    CHECK(refusal_of_budget(R"({"version": 1, "findings": {"n-plus-one": )" + name.dump() + "}}").empty());
}

}  // namespace rocktable::TEST_FILE
