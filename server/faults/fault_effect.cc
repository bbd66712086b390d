#include "server/faults/fault_effect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/date_time.h"
#include "base/duration.h"
#include "base/text.h"
#include "server/request/error_response.h"

namespace rocktable {
namespace {

constexpr std::int64_t kMaxRate = 1'000'000'000;
constexpr std::int64_t kLongestClockOffset = 3650 * 86400 * kTicksPerSecond;

// Those of gateways, proxies and load balancers. The table service answers with none of them.
constexpr std::array kForeignStatuses = {408, 429, 502, 504};

constexpr std::string_view kEffectNames = "code, status, handshake, clientClock, reset, close and cutAfterBytes";

constexpr struct {
  std::string_view name;
  HandshakeFault fault;
} kHandshakeFaults[] = {{"refuse", HandshakeFault::Refuse},
                        {"cut", HandshakeFault::Cut},
                        {"expired", HandshakeFault::Expired},
                        {"otherName", HandshakeFault::OtherName}};

// --- Delays ---------------------------------------------------------------------------------------------------

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

std::size_t rate_of(const JsonReader& object, std::string_view name) {
  return object.has(name) ? static_cast<std::size_t>(object.member(name).integer(1, kMaxRate)) : 0;
}

// --- Errors ---------------------------------------------------------------------------------------------------

std::vector<ErrorCode> codes_with(int status) {
  std::vector<ErrorCode> out;
  for (int i = 0; i < kErrorCodeCount; ++i)
    if (status_of(static_cast<ErrorCode>(i)) == status) out.push_back(static_cast<ErrorCode>(i));
  return out;
}

std::optional<ErrorCode> code_named(std::string_view name) {
  for (int i = 0; i < kErrorCodeCount; ++i)
    if (to_string(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  return std::nullopt;
}

// The code that a status alone means.
ErrorCode code_of_status(const JsonReader& value, int status) {
  if (status == 500) return ErrorCode::InternalError;  // OperationTimedOut has it, too
  const auto codes = codes_with(status);
  if (codes.size() == 1) return codes.front();
  if (codes.empty())
    value.refuse("no error of the table service has this status; a status alone may be 408, 429, 502 or 504, which " +
                 std::string("come from a proxy or a gateway before it, or that of an error"));
  constexpr std::size_t kMostNames = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(codes.size(), kMostNames); ++i)
    names.append(i == 0 ? "" : ", ").append(to_string(codes[i]));
  value.refuse("needs a code, because several have this status: " + names +
               (codes.size() > kMostNames ? " and others" : ""));
}

void read_error(const JsonReader& object, FaultEffect& out) {
  std::optional<ErrorCode> code;
  if (object.has("code")) {
    const JsonReader name = object.member("code");
    code = code_named(name.text());
    if (!code) name.refuse("`" + name.text() + "` is not a code of the service's errors");
  }
  if (object.has("status")) {
    const JsonReader status = object.member("status");
    const int number = static_cast<int>(status.integer(400, 599));
    if (!code && std::find(kForeignStatuses.begin(), kForeignStatuses.end(), number) != kForeignStatuses.end()) {
      out.kind = FaultEffect::Kind::Status;
      out.status = number;
      if (object.has("message")) object.member("message").refuse("needs a code of the service");
      return;
    }
    if (!code) code = code_of_status(status, number);
    if (status_of(*code) != number)
      status.refuse("the status of " + std::string(to_string(*code)) + " is " + std::to_string(status_of(*code)));
  }
  out.error = object.has("message") ? Error(*code, object.member("message").text()) : Error(*code);
}

void read_client_clock(const JsonReader& value, FaultEffect& out) {
  const auto ticks = parse_duration(value.text());
  if (!ticks || *ticks == 0 || std::abs(*ticks) > kLongestClockOffset)
    value.refuse("must be how fast the client's clock is, such as +20m or -1h; at most 3650 days");
  out.clock_offset = *ticks;
  out.error = ErrorCode::AuthenticationFailed;
}

HandshakeFault handshake_fault_of(const JsonReader& value) {
  const std::string text = value.text();
  for (const auto& [name, fault] : kHandshakeFaults)
    if (text == name) return fault;
  value.refuse("must be refuse, cut, expired or otherName");
}

std::string_view handshake_fault_name(HandshakeFault fault) {
  for (const auto& [name, one] : kHandshakeFaults)
    if (fault == one) return name;
  return "";
}

// --- When, in the life of a request ---------------------------------------------------------------------------

bool is_set(const JsonReader& object, std::string_view name) {
  if (!object.has(name)) return false;
  if (!object.member(name).flag()) object.member(name).refuse("must be true, or be left out");
  return true;
}

FaultEffect::At default_moment(const FaultEffect& effect) {
  if (effect.kind == FaultEffect::Kind::Cut) return FaultEffect::At::AfterCommit;
  if (effect.kind == FaultEffect::Kind::Handshake) return FaultEffect::At::Handshake;
  if (effect.kind == FaultEffect::Kind::ClientClock) return FaultEffect::At::Arrival;
  return effect.kind == FaultEffect::Kind::Keep && effect.delay.is_none() ? FaultEffect::At::AfterCommit
                                                                          : FaultEffect::At::BeforeCommit;
}

std::string_view moment_name(FaultEffect::At at) {
  if (at == FaultEffect::At::Handshake) return "handshake";
  if (at == FaultEffect::At::Arrival) return "arrival";
  return at == FaultEffect::At::BeforeCommit ? "beforeCommit" : "afterCommit";
}

FaultEffect::At moment_of(const JsonReader& value, const FaultEffect& effect) {
  const std::string text = value.text();
  if (effect.kind == FaultEffect::Kind::Handshake) {
    if (text != moment_name(FaultEffect::At::Handshake)) value.refuse("must be handshake, or be left out");
    return FaultEffect::At::Handshake;
  }
  for (const FaultEffect::At at :
       {FaultEffect::At::Arrival, FaultEffect::At::BeforeCommit, FaultEffect::At::AfterCommit}) {
    if (text != moment_name(at)) continue;
    if (effect.kind == FaultEffect::Kind::Cut && at != FaultEffect::At::AfterCommit)
      value.refuse("cutAfterBytes cuts the response, which exists only afterCommit");
    if (effect.kind == FaultEffect::Kind::ClientClock && at != FaultEffect::At::Arrival)
      value.refuse("clientClock is looked at when the request arrives");
    if (effect.kind == FaultEffect::Kind::Keep && at == FaultEffect::At::Arrival)
      value.refuse("needs one of code, status, reset and close: there is no other answer yet");
    return at;
  }
  value.refuse("must be arrival, beforeCommit or afterCommit");
}

}  // namespace

FaultEffect read_effect(const JsonReader& then) {
  then.allow_only({"at", "status", "code", "message", "handshake", "clientClock", "reset", "close", "cutAfterBytes",
                   "delay", "bytesPerSecond", "requestBytesPerSecond", "headers"});
  FaultEffect out;
  const bool is_error = then.has("status") || then.has("code");
  if (then.has("message") && !is_error) then.member("message").refuse("needs a code");
  int kinds = 0;
  const auto be = [&](bool given, FaultEffect::Kind kind) {
    if (!given) return;
    out.kind = kind;
    ++kinds;
  };
  be(is_error, FaultEffect::Kind::Error);
  be(then.has("handshake"), FaultEffect::Kind::Handshake);
  be(then.has("clientClock"), FaultEffect::Kind::ClientClock);
  be(is_set(then, "reset"), FaultEffect::Kind::Reset);
  be(is_set(then, "close"), FaultEffect::Kind::Close);
  be(then.has("cutAfterBytes"), FaultEffect::Kind::Cut);
  if (kinds > 1) then.refuse("must have only one of " + std::string(kEffectNames));
  if (then.has("delay")) out.delay = delay_of(then.member("delay"));
  out.answer_rate = rate_of(then, "bytesPerSecond");
  out.request_rate = rate_of(then, "requestBytesPerSecond");
  if (then.has("headers")) out.headers = read_header_changes(then.member("headers"));
  const bool changes_answer = out.answer_rate > 0 || !out.headers.empty();
  if (kinds == 0 && !then.has("delay") && !changes_answer && out.request_rate == 0)
    then.refuse("must have one of " + std::string(kEffectNames) +
                ", or delay, bytesPerSecond, requestBytesPerSecond or headers");
  if (changes_answer && !out.has_answer())
    then.member(out.answer_rate > 0 ? "bytesPerSecond" : "headers").refuse("there is no answer after reset or close");
  if (out.kind == FaultEffect::Kind::Error) read_error(then, out);
  if (out.kind == FaultEffect::Kind::Handshake) {
    if (then.has("delay") || changes_answer || out.request_rate > 0)
      then.refuse("a handshake that fails has neither a delay nor an answer");
    out.handshake = handshake_fault_of(then.member("handshake"));
  }
  if (out.kind == FaultEffect::Kind::ClientClock) read_client_clock(then.member("clientClock"), out);
  if (out.kind == FaultEffect::Kind::Cut)
    out.cut_after = static_cast<std::size_t>(then.member("cutAfterBytes").integer(0, INT32_MAX));
  out.at = then.has("at") ? moment_of(then.member("at"), out) : default_moment(out);
  if (out.request_rate > 0 && out.at == FaultEffect::At::Arrival)
    then.member("requestBytesPerSecond").refuse("at arrival the body of the request is not looked at");
  return out;
}

nlohmann::json to_json(const FaultEffect& effect) {
  nlohmann::json then = {{"at", moment_name(effect.at)}};
  const auto text = [](double milliseconds) {
    return duration_text(std::llround(milliseconds * kTicksPerMillisecond));
  };
  switch (effect.kind) {
    case FaultEffect::Kind::Keep:
      break;
    case FaultEffect::Kind::Handshake:
      then["handshake"] = handshake_fault_name(effect.handshake);
      break;
    case FaultEffect::Kind::Error:
      then["status"] = status_of(effect.error.code);
      then["code"] = to_string(effect.error.code);
      if (effect.error.message != default_message(effect.error.code)) then["message"] = effect.error.message;
      break;
    case FaultEffect::Kind::Status:
      then["status"] = effect.status;
      break;
    case FaultEffect::Kind::ClientClock:
      then["clientClock"] = duration_text(effect.clock_offset);
      break;
    case FaultEffect::Kind::Reset:
      then["reset"] = true;
      break;
    case FaultEffect::Kind::Close:
      then["close"] = true;
      break;
    case FaultEffect::Kind::Cut:
      then["cutAfterBytes"] = effect.cut_after;
      break;
  }
  if (effect.delay.sigma > 0) {
    then["delay"]["lognormal"] = {{"median", text(effect.delay.median)}, {"sigma", effect.delay.sigma}};
  } else if (!effect.delay.is_none()) {
    then["delay"] = text(effect.delay.median);
  }
  if (effect.answer_rate > 0) then["bytesPerSecond"] = effect.answer_rate;
  if (effect.request_rate > 0) then["requestBytesPerSecond"] = effect.request_rate;
  if (!effect.headers.empty()) then["headers"] = to_json(effect.headers);
  return then;
}

}  // namespace rocktable
