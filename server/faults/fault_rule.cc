#include "server/faults/fault_rule.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "base/date_time.h"
#include "base/duration.h"
#include "base/text.h"
#include "odata/files/json_reader.h"
#include "server/request/error_response.h"
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
  object.allow_only({"skip", "count", "probability", "seed"});
  FaultWhen out;
  if (object.has("skip")) out.skip = static_cast<std::uint64_t>(object.member("skip").integer(0, kMaxFaultCount));
  if (object.has("count")) out.count = static_cast<std::uint64_t>(object.member("count").integer(1, kMaxFaultCount));
  if (object.has("probability")) out.probability = object.member("probability").number(0, 1);
  if (object.has("seed"))
    out.seed = static_cast<std::uint64_t>(object.member("seed").integer(0, static_cast<std::int64_t>(kMaxSeed)));
  return out;
}

double milliseconds_of(const JsonReader& value) {
  const auto ticks = parse_duration(value.text());
  const double out = ticks ? static_cast<double>(*ticks) / kTicksPerMillisecond : -1;
  if (out < 0 || out > kMaxDelayMilliseconds)
    value.refuse("must be a duration such as 300ms or 2s, of at most 10 minutes");
  return out;
}

Delay delay_of(const JsonReader& value) {
  if (value.kind() != JsonKind::Object) return {milliseconds_of(value), 0};
  value.allow_only({"lognormal"});
  const JsonReader shape = value.member("lognormal");
  shape.allow_only({"median", "sigma"});
  return {milliseconds_of(shape.member("median")), shape.member("sigma").number(0, 5)};
}

std::optional<ErrorCode> code_named(std::string_view name) {
  for (int i = 0; i < kErrorCodeCount; ++i)
    if (to_string(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  return std::nullopt;
}

Error error_of(const JsonReader& object) {
  std::optional<ErrorCode> code;
  if (object.has("code")) {
    const JsonReader name = object.member("code");
    code = code_named(name.text());
    if (!code) name.refuse("`" + name.text() + "` is not a code of the service's errors");
  }
  if (object.has("status")) {
    const JsonReader status = object.member("status");
    const auto number = status.integer(400, 599);
    if (!code && number == 503) code = ErrorCode::ServerBusy;
    if (!code && number == 500) code = ErrorCode::InternalError;
    if (!code) status.refuse("needs a code: several have this status");
    if (status_of(*code) != number)
      status.refuse("the status of " + std::string(to_string(*code)) + " is " + std::to_string(status_of(*code)));
  }
  return object.has("message") ? Error(*code, object.member("message").text()) : Error(*code);
}

bool is_set(const JsonReader& object, std::string_view name) {
  if (!object.has(name)) return false;
  if (!object.member(name).flag()) object.member(name).refuse("must be true, or be left out");
  return true;
}

FaultEffect effect_of(const JsonReader& object) {
  using Kind = FaultEffect::Kind;
  object.allow_only({"at", "status", "code", "message", "reset", "close", "cutAfterBytes", "delay"});
  FaultEffect out;
  const bool is_error = object.has("status") || object.has("code");
  if (object.has("message") && !is_error) object.member("message").refuse("needs a code");
  int kinds = 0;
  const auto be = [&](bool given, Kind kind) {
    if (!given) return;
    out.kind = kind;
    ++kinds;
  };
  be(is_error, Kind::Error);
  be(is_set(object, "reset"), Kind::Reset);
  be(is_set(object, "close"), Kind::Close);
  be(object.has("cutAfterBytes"), Kind::Cut);
  if (kinds > 1) object.refuse("must have one of code, reset, close and cutAfterBytes");
  if (kinds == 0 && !object.has("delay")) object.refuse("must have one of code, reset, close, cutAfterBytes and delay");
  if (is_error) out.error = error_of(object);
  if (object.has("delay")) out.delay = delay_of(object.member("delay"));
  if (out.kind == Kind::Cut) {
    out.at = FaultEffect::At::AfterCommit;
    out.cut_after = static_cast<std::size_t>(object.member("cutAfterBytes").integer(0, INT32_MAX));
  }
  if (object.has("at")) {
    const JsonReader at = object.member("at");
    const std::string text = at.text();
    if (text != "beforeCommit" && text != "afterCommit") at.refuse("must be beforeCommit or afterCommit");
    if (text == "beforeCommit" && out.kind == Kind::Cut)
      at.refuse("cutAfterBytes cuts the response, which exists only afterCommit");
    out.at = text == "afterCommit" ? FaultEffect::At::AfterCommit : FaultEffect::At::BeforeCommit;
  }
  return out;
}

FaultRule rule_of(const JsonReader& object) {
  object.allow_only({"$schema", "name", "match", "when", "then"});
  FaultRule out;
  if (object.has("name")) {
    out.name = object.member("name").text();
    if (out.name.empty() || out.name.size() > kMaxFaultName)
      object.member("name").refuse("must have 1 to " + std::to_string(kMaxFaultName) + " bytes");
  }
  if (object.has("match")) out.match = match_of(object.member("match"));
  if (object.has("when")) out.when = when_of(object.member("when"));
  out.then = effect_of(object.member("then"));
  const bool is_random = out.when.probability < 1 || out.then.delay.sigma > 0;
  if (is_random && !(object.has("when") && object.member("when").has("seed"))) {
    std::random_device device;
    out.when.seed = ((std::uint64_t{device()} << 32) | device()) & kMaxSeed;
  }
  return out;
}

}  // namespace

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
  nlohmann::json match = nlohmann::json::object(), when = match, then = match;
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
  const FaultEffect& effect = rule.then;
  then["at"] = effect.at == FaultEffect::At::BeforeCommit ? "beforeCommit" : "afterCommit";
  if (effect.kind == FaultEffect::Kind::Error) {
    then["status"] = status_of(effect.error.code);
    then["code"] = to_string(effect.error.code);
    if (effect.error.message != default_message(effect.error.code)) then["message"] = effect.error.message;
  }
  if (effect.kind == FaultEffect::Kind::Reset) then["reset"] = true;
  if (effect.kind == FaultEffect::Kind::Close) then["close"] = true;
  if (effect.kind == FaultEffect::Kind::Cut) then["cutAfterBytes"] = effect.cut_after;
  const auto text = [](double milliseconds) {
    return duration_text(std::llround(milliseconds * kTicksPerMillisecond));
  };
  if (effect.delay.sigma > 0) {
    then["delay"]["lognormal"] = {{"median", text(effect.delay.median)}, {"sigma", effect.delay.sigma}};
  } else if (!effect.delay.is_none()) {
    then["delay"] = text(effect.delay.median);
  }
  return {{"name", rule.name}, {"match", match}, {"when", when}, {"then", then}};
}

// --- Matching -----------------------------------------------------------------------------------------------

bool FaultMatch::matches_keys(const TouchedEntity& entity) const {
  if (partition_key && *partition_key != entity.partition_key) return false;
  if (partition_key_prefix && !entity.partition_key.starts_with(*partition_key_prefix)) return false;
  return !row_key || row_key == entity.row_key;
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
