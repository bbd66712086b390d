#include "client/report/judge/budget.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "odata/files/json_reader.h"
#include "odata/insight/finding_catalog.h"
#include "odata/insight/folded_table.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxBudgetRules = 1000;
// Numbers up to this are exact in JSON readers that have only doubles.
constexpr std::int64_t kMaxBudgetTotal = (std::int64_t{1} << 53) - 1;
constexpr double kMaxBudgetRatio = 1e9;

constexpr std::array kPlanClasses = {PlanClass::Point, PlanClass::RowRange, PlanClass::PartitionScan,
                                     PlanClass::PartitionRange, PlanClass::TableScan};
constexpr std::array<std::pair<std::string_view, Level>, 3> kLevelNames = {
    {{"error", Level::Error}, {"warn", Level::Warn}, {"off", Level::Off}}};

// --- Reading ------------------------------------------------------------------------------------------------

PlanClass plan_class_of(const JsonReader& value) {
  const std::string text = value.text();
  std::vector<std::string_view> names;
  for (const PlanClass one : kPlanClasses) {
    names.push_back(to_string(one));
    if (names.back() == text) return one;
  }
  value.refuse("`" + text + "` is not a class of work; allowed: " + joined(names));
}

Level level_of(const JsonReader& value) {
  const std::string text = value.text();
  for (const auto& [name, level] : kLevelNames)
    if (name == text) return level;
  value.refuse("must be error, warn or off");
}

BudgetLimits limits_of(const JsonReader& object) {
  BudgetLimits out;
  if (object.has("maxClass")) {
    const JsonReader value = object.member("maxClass");
    out.max_class = {plan_class_of(value), value.place()};
  }
  if (object.has("maxScannedPerReturned")) {
    const JsonReader value = object.member("maxScannedPerReturned");
    out.max_scanned_per_returned = {value.number(1, kMaxBudgetRatio), value.place()};
  }
  if (object.has("minScanned")) {
    const JsonReader value = object.member("minScanned");
    out.min_scanned = {static_cast<std::uint64_t>(value.integer(0, kMaxBudgetTotal)), value.place()};
  }
  return out;
}

std::optional<std::string> selector_of(const JsonReader& object, std::string_view name) {
  return object.has(name) ? std::optional(object.member(name).text()) : std::nullopt;
}

BudgetRule budget_rule_of(const JsonReader& object) {
  object.allow_only({"table", "operation", "fingerprint", "client", "test", "maxClass", "maxScannedPerReturned",
                     "minScanned", "allow", "reason"});
  BudgetRule out;
  out.place = object.place();
  out.table = selector_of(object, "table");
  if (out.table) out.table = folded_table(*out.table);
  out.operation = selector_of(object, "operation");
  out.fingerprint = selector_of(object, "fingerprint");
  out.client = selector_of(object, "client");
  out.test = selector_of(object, "test");
  if (out.specificity() == 0) object.refuse("must have at least one of table, operation, fingerprint, client and test");
  out.limits = limits_of(object);
  out.reason = object.text_or("reason", "");
  if (object.has("allow")) {
    const JsonReader allow = object.member("allow");
    out.allow = allow.flag();
    if (!out.allow) allow.refuse("must be true, or be left out");
    if (out.reason.empty()) object.refuse("allow needs a reason");
  }
  const bool has_limit = out.limits.max_class || out.limits.max_scanned_per_returned || out.limits.min_scanned;
  if (out.allow && has_limit) object.refuse("must not have both allow and a limit: allow permits everything");
  if (!out.allow && !has_limit)
    object.refuse("must have at least one of maxClass, maxScannedPerReturned, minScanned and allow");
  return out;
}

BudgetTotals budget_totals_of(const JsonReader& object) {
  object.allow_only({"transactions", "entitiesScanned"});
  const auto total = [&](std::string_view name) -> std::optional<Placed<std::uint64_t>> {
    if (!object.has(name)) return std::nullopt;
    const JsonReader value = object.member(name);
    return Placed{static_cast<std::uint64_t>(value.integer(0, kMaxBudgetTotal)), value.place()};
  };
  return {total("transactions"), total("entitiesScanned")};
}

// --- Writing ------------------------------------------------------------------------------------------------

using OrderedJson = nlohmann::ordered_json;

// A whole number as an integer: `20`, not `20.0`.
OrderedJson json_number(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? OrderedJson(whole) : OrderedJson(number);
}

void add_limits(OrderedJson& out, const BudgetLimits& limits) {
  if (limits.max_class) out["maxClass"] = to_string(limits.max_class->value);
  if (limits.max_scanned_per_returned)
    out["maxScannedPerReturned"] = json_number(limits.max_scanned_per_returned->value);
  if (limits.min_scanned) out["minScanned"] = limits.min_scanned->value;
}

OrderedJson budget_rule_json(const BudgetRule& rule) {
  OrderedJson out = OrderedJson::object();
  const auto add = [&](const char* name, const std::optional<std::string>& text) {
    if (text) out[name] = *text;
  };
  add("table", rule.table);
  add("operation", rule.operation);
  add("fingerprint", rule.fingerprint);
  add("client", rule.client);
  add("test", rule.test);
  add_limits(out, rule.limits);
  if (rule.allow) out["allow"] = true;
  if (!rule.reason.empty()) out["reason"] = rule.reason;
  return out;
}

}  // namespace

bool BudgetRule::matches(const RuleSubject& subject) const {
  const auto agrees = [](const std::optional<std::string>& wanted, std::string_view is) {
    return !wanted || *wanted == is;
  };
  return agrees(table, subject.table) && agrees(operation, subject.operation) &&
         agrees(fingerprint, subject.fingerprint) && agrees(client, subject.client) && agrees(test, subject.test);
}

int BudgetRule::specificity() const {
  int out = 0;
  for (const auto* const selector : {&fingerprint, &operation, &table, &test, &client})
    out = 2 * out + (*selector ? 1 : 0);
  return out;
}

bool BudgetRule::selects_the_same(const BudgetRule& other) const {
  return table == other.table && operation == other.operation && fingerprint == other.fingerprint &&
         client == other.client && test == other.test;
}

Budget parse_budget(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  const JsonReader root = document.root();
  root.allow_only({"$schema", "version", "default", "rules", "totals", "findings"});
  root.text_or("$schema", "");
  root.member("version").integer(1, 1);
  Budget out;
  out.file = source;
  if (root.has("default")) {
    const JsonReader defaults = root.member("default");
    defaults.allow_only({"maxClass", "maxScannedPerReturned", "minScanned"});
    const BudgetLimits given = limits_of(defaults);
    if (given.max_class) out.defaults.max_class = given.max_class;
    if (given.max_scanned_per_returned) out.defaults.max_scanned_per_returned = given.max_scanned_per_returned;
    if (given.min_scanned) out.defaults.min_scanned = given.min_scanned;
  }
  if (root.has("rules")) {
    for (const JsonReader& item : root.member("rules").items()) {
      if (out.rules.size() == kMaxBudgetRules)
        item.refuse("there must be at most " + with_commas(kMaxBudgetRules) + " rules");
      out.rules.push_back(budget_rule_of(item));
    }
  }
  if (root.has("totals")) out.totals = budget_totals_of(root.member("totals"));
  if (root.has("findings")) {
    const JsonReader findings = root.member("findings");
    findings.must_be(JsonKind::Object);
    for (const JsonMember& member : findings.members()) {
      const JsonReader value = findings.member(member.name);
      if (find_finding_kind(member.name) == nullptr)
        value.refuse("there is no such finding; docs/insight.md lists them");
      out.findings.emplace(member.name, level_of(value));
    }
  }
  return out;
}

Budget read_budget(const std::string& file) { return parse_budget(read_file(file), file); }

std::string to_json_text(const Budget& budget) {
  OrderedJson out = {{"$schema", "rocktable.budget.schema.json"}, {"version", 1}};
  add_limits(out["default"], budget.defaults);
  out["rules"] = OrderedJson::array();
  for (const BudgetRule& rule : budget.rules) out["rules"].push_back(budget_rule_json(rule));
  if (budget.totals.transactions) out["totals"]["transactions"] = budget.totals.transactions->value;
  if (budget.totals.entities_scanned) out["totals"]["entitiesScanned"] = budget.totals.entities_scanned->value;
  for (const auto& [id, level] : budget.findings)
    for (const auto& [name, one] : kLevelNames)
      if (one == level) out["findings"][id] = name;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace rocktable
