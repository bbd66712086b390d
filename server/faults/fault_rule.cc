#include "server/faults/fault_rule.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "base/text.h"
#include "odata/files/json_reader.h"
#include "server/access/authentication_checks.h"
#include "server/request/operation_table.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxFaultRules = 1000;
constexpr std::size_t kMaxFaultName = 100;
constexpr std::int64_t kMaxFaultCount = 1'000'000'000;
// Numbers up to this are exact in JSON readers that have only doubles.
constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 53) - 1;

constexpr std::array kFaultMethods = {"DELETE", "GET", "HEAD", "MERGE", "PATCH", "POST", "PUT"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool names_operation(const std::vector<std::string>& names, std::string_view operation) {
  return is_among(names, operation) || (is_name_of_write(operation) && is_among(names, "WriteEntity"));
}

// --- Reading ------------------------------------------------------------------------------------------------

std::optional<std::string> text_of(const JsonReader& object, std::string_view name) {
  return object.has(name) ? std::optional(object.member(name).text()) : std::nullopt;
}

// One text, or a list of texts.
template <class Names>
std::vector<std::string> names_of(const JsonReader& object, std::string_view name, const Names& known,
                                  std::string_view what) {
  std::vector<std::string> out;
  if (!object.has(name)) return out;
  const JsonReader value = object.member(name);
  const auto add = [&](const JsonReader& item) {
    const std::string text = item.text();
    if (!is_among(known, text))
      item.refuse("`" + text + "` is not " + std::string(what) + "; allowed: " + joined(known));
    out.push_back(text);
  };
  if (value.kind() != JsonKind::Array) {
    add(value);
  } else {
    for (const JsonReader& item : value.items()) add(item);
    if (out.empty()) value.refuse("must not be empty");
  }
  return out;
}

FaultMatch match_of(const JsonReader& object) {
  object.allow_only({"account", "table", "operation", "method", "partitionKey", "partitionKeyPrefix", "rowKey",
                     "position", "clientRequestIdPrefix"});
  FaultMatch out;
  out.account = object.text_or("account", "");
  out.table = to_lower_ascii(object.text_or("table", ""));
  out.operations = names_of(object, "operation", operation_names(), "an operation");
  out.methods = names_of(object, "method", kFaultMethods, "a method");
  out.partition_key = text_of(object, "partitionKey");
  out.partition_key_prefix = text_of(object, "partitionKeyPrefix");
  if (out.partition_key && out.partition_key_prefix)
    object.member("partitionKeyPrefix").refuse("partitionKey is given, too");
  out.row_key = text_of(object, "rowKey");
  out.client_request_id_prefix = text_of(object, "clientRequestIdPrefix");
  if (object.has("position")) out.position = static_cast<std::size_t>(object.member("position").integer(0, 99));
  return out;
}

FaultWhen when_of(const JsonReader& object) {
  object.allow_only({"skip", "count", "probability", "seed", "after", "for", "every"});
  FaultWhen out;
  out.schedule = read_schedule(object);
  if (object.has("skip")) out.skip = static_cast<std::uint64_t>(object.member("skip").integer(0, kMaxFaultCount));
  if (object.has("count")) out.count = static_cast<std::uint64_t>(object.member("count").integer(1, kMaxFaultCount));
  if (object.has("probability")) out.probability = object.member("probability").number(0, 1);
  if (object.has("seed"))
    out.seed = static_cast<std::uint64_t>(object.member("seed").integer(0, static_cast<std::int64_t>(kMaxSeed)));
  return out;
}

// On arrival only the head of a request is there, and it may name no operation.
void check_match_on_arrival(const JsonReader& match) {
  constexpr std::array kKnown = {"account", "method", "clientRequestIdPrefix"};
  for (const JsonMember& member : match.members())
    if (!is_among(kKnown, member.name))
      match.member(member.name).refuse("a rule for the arrival of requests can match only " + joined(kKnown));
}

void check_handshake_match(const JsonReader& match) {
  for (const JsonMember& member : match.members())
    if (member.name != "account") match.member(member.name).refuse("a rule for handshakes can match only account");
}

// A handshake tells only the name that the client wants to reach. Nobody may lock out the control API, which has the
// same port, for ever.
void check_handshake_rule(const JsonReader& object, const FaultRule& rule) {
  if (object.has("match")) check_handshake_match(object.member("match"));
  if (rule.match.account.empty() && !rule.when.count && !rule.when.schedule.length)
    object.member("then").refuse(
        "handshake needs match.account, when.count or when.for, because it also hits the "
        "control API, which has the same port");
}

FaultRule rule_of(const JsonReader& object) {
  object.allow_only({"$schema", "name", "match", "when", "then"});
  FaultRule out;
  if (object.has("name")) {
    const JsonReader name = object.member("name");
    out.name = name.text();
    name.with_place([&] { check_fault_name(out.name); });
  }
  if (object.has("match")) out.match = match_of(object.member("match"));
  if (object.has("when")) out.when = when_of(object.member("when"));
  out.then = read_effect(object.member("then"));
  if (out.then.at == FaultEffect::At::Arrival && object.has("match")) check_match_on_arrival(object.member("match"));
  if (out.then.at == FaultEffect::At::Handshake) check_handshake_rule(object, out);
  const bool is_random = out.when.probability < 1 || out.then.delay.sigma > 0;
  if (is_random && !(object.has("when") && object.member("when").has("seed"))) {
    std::random_device device;
    out.when.seed = ((std::uint64_t{device()} << 32) | device()) & kMaxSeed;
  }
  return out;
}

}  // namespace

void check_fault_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxFaultName)
    throw std::invalid_argument("must have 1 to " + std::to_string(kMaxFaultName) + " bytes");
}

std::vector<FaultRule> parse_fault_rules(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  const JsonReader root = document.root();
  std::vector<FaultRule> out;
  if (root.kind() != JsonKind::Array) {
    out.push_back(rule_of(root));
  } else {
    for (const JsonReader& item : root.items()) {
      if (out.size() == kMaxFaultRules)
        item.refuse("there must be at most " + std::to_string(kMaxFaultRules) + " rules");
      out.push_back(rule_of(item));
      const auto same = [&](const FaultRule& one) { return one.name == out.back().name; };
      if (!out.back().name.empty() && std::any_of(out.begin(), out.end() - 1, same))
        item.member("name").refuse("another rule has the same name");
    }
  }
  return out;
}

nlohmann::json to_json(const FaultRule& rule) {
  nlohmann::json match = nlohmann::json::object(), when = match;
  const FaultMatch& m = rule.match;
  if (!m.account.empty()) match["account"] = m.account;
  if (!m.table.empty()) match["table"] = m.table;
  if (!m.operations.empty()) match["operation"] = m.operations;
  if (!m.methods.empty()) match["method"] = m.methods;
  if (m.partition_key) match["partitionKey"] = *m.partition_key;
  if (m.partition_key_prefix) match["partitionKeyPrefix"] = *m.partition_key_prefix;
  if (m.row_key) match["rowKey"] = *m.row_key;
  if (m.position) match["position"] = *m.position;
  if (m.client_request_id_prefix) match["clientRequestIdPrefix"] = *m.client_request_id_prefix;
  if (rule.when.skip > 0) when["skip"] = rule.when.skip;
  if (rule.when.count) when["count"] = *rule.when.count;
  if (rule.when.probability < 1) when["probability"] = rule.when.probability;
  if (rule.when.probability < 1 || rule.then.delay.sigma > 0) when["seed"] = rule.when.seed;
  write_schedule(rule.when.schedule, when);
  return {{"name", rule.name}, {"match", match}, {"when", when}, {"then", to_json(rule.then)}};
}

// --- Matching -----------------------------------------------------------------------------------------------

bool FaultMatch::matches_keys(const TouchedEntity& entity) const {
  if (partition_key && *partition_key != entity.partition_key) return false;
  if (partition_key_prefix && !entity.partition_key.starts_with(*partition_key_prefix)) return false;
  return !row_key || row_key == entity.row_key;
}

bool FaultRule::applies_to(const RequestFacts& request, DateTime now) const {
  if (!match.matches(request)) return false;
  if (then.kind != FaultEffect::Kind::ClientClock) return true;
  return !request.signed_date.empty() && !is_current(request.signed_date, {now.ticks - then.clock_offset});
}

bool FaultMatch::matches(const RequestFacts& request) const {
  if (!account.empty() && account != request.account) return false;
  if (!table.empty() && !equals_ignoring_case(table, request.table)) return false;
  if (!methods.empty() && !is_among(methods, request.method)) return false;
  if (client_request_id_prefix && !request.client_request_id.starts_with(*client_request_id_prefix)) return false;
  const bool is_named = operations.empty() || names_operation(operations, request.operation);
  const bool by_key = partition_key || partition_key_prefix || row_key;
  if (!position && !by_key && is_named) return true;
  // A rule for the operation `Batch` means any of its entities.
  const auto is_touched = [&](const TouchedEntity& entity) {
    return matches_keys(entity) &&
           ((request.is_batch && is_named) || operations.empty() || names_operation(operations, entity.operation));
  };
  if (position)
    return request.is_batch && *position < request.entities.size() && is_touched(request.entities[*position]);
  return std::any_of(request.entities.begin(), request.entities.end(), is_touched);
}

}  // namespace rocktable
