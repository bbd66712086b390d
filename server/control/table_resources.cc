#include "server/control/table_resources.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "odata/filter_parser.h"
#include "odata/insight/cloud_plan.h"
#include "odata/insight/finding_catalog.h"
#include "odata/plan_text.h"
#include "odata/query_plan.h"
#include "server/control/control_checks.h"
#include "server/control/control_response.h"
#include "storage/table_size.h"

namespace rocktable {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxCounted = 1'000'000;  // entities of a table, 0.1 s; more are estimated
constexpr milliseconds kTimeToCount{500};         // for all tables of a list
constexpr std::uint64_t kMaxPlanned = 100'000;    // 10 ms: a plan is asked for with each key that a person presses
constexpr milliseconds kTimeToPlan{30};

ScanDeadline in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

// How far the service had read the filter, in UTF-16 code units, by its own sentence; -1: the sentence names no place.
// The filter itself stands behind the place, so it cannot be taken for it.
int position_of(const Error& error) {
  constexpr std::string_view kLiteral = " literal '", kAt = "' at '", kPosition = " at position ";
  const std::string_view text = error.message;
  const bool names_literal = text.starts_with("Unrecognized ");
  const auto at = text.find(names_literal ? kAt : kPosition);
  if (at == text.npos) return -1;
  int position = -1;
  const char* const digits = text.data() + at + (names_literal ? kAt : kPosition).size();
  if (std::from_chars(digits, text.data() + text.size(), position).ec != std::errc()) return -1;
  if (text.starts_with("Syntax error: character ")) return position + 1;
  if (!names_literal) return position;
  const auto literal = text.find(kLiteral) + kLiteral.size();
  return position + static_cast<int>(utf16_length(text.substr(literal, at - literal)));
}

Response refused_plan(const Error& error) {
  return control_json(
      200,
      {{"error", {{"code", to_string(error.code)}, {"message", error.message}, {"position", position_of(error)}}}});
}

std::string_view better_than(PlanClass plan) {
  if (plan < PlanClass::PartitionRange) return "";
  return find_finding_kind(plan == PlanClass::TableScan ? "table-scan" : "partition-range-scan")->advice;
}

double share_of(const TableSize& part, const TableSize& whole) {
  const bool counted = part.is_exact && whole.is_exact;
  const auto read = static_cast<double>(counted ? part.entities : part.bytes);
  const auto all = static_cast<double>(counted ? whole.entities : whole.bytes);
  return all > 0 ? std::min(read / all, 1.0) : 0;
}

// `plan`: of the service. `here`: of rocktable.
Response planned(const TableSize& whole, const TableSize& part, const QueryPlan& plan, const QueryPlan& here) {
  constexpr std::size_t kMaxRanges = 20;
  auto texts = nlohmann::json::array();
  for (const KeyRange& range : plan.ranges) {
    if (texts.size() == kMaxRanges) break;
    texts.push_back(describe(range));
  }
  return control_json(200, {{"plan", to_string(plan.plan_class)},
                            {"ranges", plan.ranges.size()},
                            {"rangeTexts", std::move(texts)},
                            {"share", share_of(part, whole)},
                            {"entities", part.entities},
                            {"isExact", part.is_exact},
                            {"planHere", to_string(here.plan_class)},
                            {"better", better_than(plan.plan_class)}});
}

}  // namespace

Response handle_get_accounts(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  std::map<std::string, std::uint64_t> tables = state.store.table_counts();
  for (const std::string& account : state.named_accounts()) tables.try_emplace(account, 0);
  auto list = nlohmann::json::array();
  for (const auto& [account, count] : tables) {
    if (!state.serves_account(account)) continue;
    list.push_back({{"account", account}, {"tables", count}, {"keyIsPublic", state.has_public_key(account)}});
  }
  return control_json(200, {{"accounts", std::move(list)}});
}

Response handle_get_tables(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {"account", "table"})) return std::move(*refusal);
  const auto account = arguments.query.get("account"), table = arguments.query.get("table");
  if (!account) return control_error(400, "Name the account: ?account=NAME");
  if (!state.serves_account(*account)) return unknown_account(*account);
  std::vector<std::string> names;
  if (table) {
    const auto found = state.store.get_table({*account, *table});
    if (!found)
      return control_error(404, "The account " + std::string(*account) + " has no table " + std::string(*table) + ".");
    names.push_back(found->name);
  } else {
    state.store.list_tables(*account, all_keys(), std::numeric_limits<int>::max(), [&](const Table& row) {
      names.push_back(row.name);
      return true;
    });
  }
  const auto deadline = in(kTimeToCount);
  auto list = nlohmann::json::array();
  for (const std::string& name : names) {
    const auto size = size_of_table(state.store, {*account, name}, all_keys(), kMaxCounted, deadline);
    if (!size && size.error().code == ErrorCode::TableNotFound) continue;  // deleted meanwhile
    if (!size) return control_error(503, size.error().message);
    list.push_back({{"name", name}, {"entities", size->entities}, {"isExact", size->is_exact}, {"bytes", size->bytes}});
  }
  return control_json(200, {{"account", *account}, {"tables", std::move(list)}});
}

Response handle_get_plan(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {"account", "table", "filter"})) return std::move(*refusal);
  const auto account = arguments.query.get("account"), table = arguments.query.get("table");
  if (!account || !table) return control_error(400, "Name the table: ?account=NAME&table=NAME&filter=FILTER");
  if (!state.serves_account(*account)) return unknown_account(*account);
  std::optional<Filter> filter;
  if (const auto text = arguments.query.get("filter")) {
    auto parsed = parse_filter(*text);
    if (!parsed) return refused_plan(parsed.error());
    filter = std::move(*parsed);
  }
  const QueryPlan here = plan_query(filter), plan = cloud_plan(filter);
  const TableName name{*account, *table};
  const auto whole = size_of_table(state.store, name, all_keys(), kMaxPlanned, in(kTimeToPlan));
  if (!whole) return refused_plan(whole.error());
  const auto part = size_of_table(state.store, name, plan.ranges, kMaxPlanned, in(kTimeToPlan));
  if (!part) return refused_plan(part.error());
  return planned(*whole, *part, plan, here);
}

}  // namespace rocktable
