#include "server/faults/fault_plan.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/date_time.h"
#include "server/faults/retry_log.h"

namespace rocktable::TEST_FILE {
namespace {

RequestFacts request_of(std::string_view account) {
  RequestFacts out;
  out.account = account;
  out.table = "orders";
  out.operation = "GetEntity";
  out.method = "GET";
  return out;
}

void add(FaultPlan& plan, const std::string& text) {
  auto rules = parse_fault_rules(text, "rules");
  REQUIRE(plan.add(rules, {}) == std::nullopt);
}

// `x` for each request that is hit, `.` for the others.
std::string hits(FaultPlan& plan, std::string_view account, int requests) {
  std::string out;
  for (int i = 0; i < requests; ++i) out += plan.decide(request_of(account), {}) ? 'x' : '.';
  return out;
}

TEST_CASE("skip and count choose requests, of each account by itself") {
  FaultPlan plan;
  CHECK_FALSE(plan.is_active());
  add(plan, R"({"name":"f","when":{"skip":2,"count":3},"then":{"close":true}})");
  CHECK(plan.is_active());
  CHECK(hits(plan, "one", 4) == "..xx");
  CHECK(hits(plan, "two", 7) == "..xxx..");
  CHECK(hits(plan, "one", 3) == "x..");
  CHECK(plan.find("f", {})->at("hits") == 6);
  CHECK(plan.to_json({}, "one").at("faults")[0].at("matched") == 7);
}

TEST_CASE("the first rule that fires hits; a later one sees what passes") {
  FaultPlan plan;
  add(plan, R"([{"name":"once","when":{"count":1},"then":{"close":true}},{"name":"then","then":{"reset":true}}])");
  CHECK(plan.decide(request_of("one"), {})->rule == "once");
  CHECK(plan.decide(request_of("one"), {})->rule == "then");
  CHECK(plan.find("then", {})->at("matched") == 1);
}

TEST_CASE("a seed repeats the same hits and delays") {
  const std::string text =
      R"({"when":{"probability":0.3,"seed":11},"then":{"delay":{"lognormal":{"median":"20ms","sigma":1}}}})";
  FaultPlan one, other;
  add(one, text);
  add(other, text);
  int hit = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto first = one.decide(request_of("acct"), {}), second = other.decide(request_of("acct"), {});
    REQUIRE(first.has_value() == second.has_value());
    if (first) REQUIRE(first->delay == second->delay);
    hit += first ? 1 : 0;
  }
  CHECK(hit > 2'800);
  CHECK(hit < 3'200);
  FaultPlan third;
  add(third, text);
  FaultPlan fourth;
  add(fourth, text);
  CHECK(hits(third, "acct", 200) != hits(fourth, "else", 200));
}

TEST_CASE("after a reset, an account is counted from the beginning") {
  FaultPlan plan;
  add(plan, R"({"name":"f","when":{"count":1},"then":{"close":true}})");
  CHECK(hits(plan, "one", 2) == "x.");
  CHECK(hits(plan, "two", 2) == "x.");
  CHECK(plan.remove_of_account("one") == 0);
  CHECK(hits(plan, "one", 2) == "x.");
  CHECK(hits(plan, "two", 1) == ".");
  CHECK(plan.find("f", {})->at("hits") == 3);
}

DateTime at(double seconds) { return {1'000'000 + static_cast<std::int64_t>(seconds * kTicksPerSecond)}; }

// `x` for each tenth of a second at which the rule hits.
std::string tenths(FaultPlan& plan, double from, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += plan.decide(request_of("one"), at(from + 0.1 * i)) ? 'x' : '.';
  return out;
}

TEST_CASE("a schedule says when a rule is on, counted from when it was added") {
  struct {
    const char *when, *hits;
  } cases[] = {
      {R"({"for":"300ms"})", "xxx............"},
      {R"({"after":"200ms"})", "..xxxxxxxxxxxxx"},
      {R"({"after":"200ms","for":"300ms"})", "..xxx.........."},
      {R"({"every":"500ms","for":"200ms"})", "xx...xx...xx..."},
      {R"({"after":"100ms","every":"500ms","for":"200ms"})", ".xx...xx...xx.."},
      {R"({"every":"500ms","for":"200ms","skip":1,"count":2})", ".x...x........."},  // counted while it is on
  };
  for (const auto& c : cases) {
    CAPTURE(c.when);
    FaultPlan plan;
    auto rules =
        parse_fault_rules(std::string("{\"name\":\"f\",\"then\":{\"close\":true},\"when\":") + c.when + "}", "");
    REQUIRE(plan.add(rules, at(0)) == std::nullopt);
    CHECK(tenths(plan, 0.01, 15) == c.hits);
    CHECK(plan.find("f", at(0.21))->at("on") == (c.hits[2] == 'x'));
  }
}

TEST_CASE("a rule with a schedule is off before it was added; one without has no such times") {
  FaultPlan plan;
  auto rules = parse_fault_rules(R"([{"name":"f","when":{"for":"10s"},"then":{"close":true}},
                                     {"name":"g","match":{"account":"two"},"then":{"close":true}}])",
                                 "");
  REQUIRE(plan.add(rules, at(100)) == std::nullopt);
  CHECK(tenths(plan, 0, 3) == "...");  // the clock was turned back
  CHECK(plan.decide(request_of("two"), at(0))->rule == "g");
  CHECK_FALSE(plan.find("g", at(0))->contains("on"));
}

TEST_CASE("what a rule does not meet, it does not count") {
  FaultPlan plan;
  auto rules = parse_fault_rules(R"({"name":"f","when":{"for":"100ms"},"then":{"close":true}})", "");
  REQUIRE(plan.add(rules, at(0)) == std::nullopt);
  CHECK(tenths(plan, 0.01, 5) == "x....");
  CHECK(plan.find("f", at(1))->at("matched") == 1);
}

TEST_CASE("rules for the arrival of requests come before the others") {
  FaultPlan plan;
  add(plan, R"([{"name":"then","then":{"reset":true}},
                {"name":"down","match":{"account":"one"},"then":{"at":"arrival","status":503}}])");
  CHECK(plan.has_arrivals());
  CHECK(plan.decide_on_arrival(request_of("one"), {})->rule == "down");
  CHECK(plan.decide_on_arrival(request_of("two"), {}) == std::nullopt);
  CHECK(plan.decide(request_of("one"), {})->rule == "then");
  CHECK(plan.remove("down"));
  CHECK_FALSE(plan.has_arrivals());
}

TEST_CASE("a handshake is counted for the account of its rule, whatever name the client wants to reach") {
  FaultPlan plan;
  add(plan, R"([{"name":"of","match":{"account":"one"},"when":{"count":1},"then":{"handshake":"cut"}},
                {"name":"all","when":{"count":2},"then":{"handshake":"refuse"}}])");
  CHECK(plan.decide_on_handshake(request_of("two"), {})->rule == "all");
  CHECK(plan.decide_on_handshake(request_of("one"), {})->rule == "of");
  CHECK(plan.decide_on_handshake(request_of("one"), {})->rule == "all");
  CHECK(plan.decide_on_handshake(request_of("three"), {}) == std::nullopt);
  CHECK(plan.decide(request_of("one"), {}) == std::nullopt);
}

TEST_CASE("a rule is put in the place of that with its name, and counts from the beginning") {
  FaultPlan plan;
  add(plan, R"([{"name":"a","when":{"count":1},"then":{"close":true}},{"name":"b","then":{"reset":true}}])");
  CHECK(hits(plan, "one", 1) == "x");
  auto rules = parse_fault_rules(R"([{"name":"a","when":{"count":1},"then":{"status":503}},
                                     {"name":"c","then":{"close":true}}])",
                                 "");
  plan.put(rules[0], {});
  plan.put(rules[1], {});
  CHECK(plan.names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(plan.decide(request_of("one"), {})->rule == "a");
  CHECK(plan.find("a", {})->at("hits") == 1);
}

TEST_CASE("names are unique, and made if there are none") {
  FaultPlan plan;
  add(plan, R"([{"then":{"close":true}},{"name":"fault-2","then":{"close":true}}])");
  auto again =
      parse_fault_rules(R"([{"name":"new","then":{"close":true}},{"name":"fault-2","then":{"close":true}}])", "");
  CHECK(plan.add(again, {}) == "fault-2");
  CHECK(plan.find("new", {}) == std::nullopt);
  auto nameless = parse_fault_rules(R"({"then":{"close":true}})", "");
  CHECK(plan.add(nameless, {}) == std::nullopt);
  CHECK(nameless.front().name == "fault-3");
}

TEST_CASE("a rule that never fired is told, also after it was removed") {
  FaultPlan plan;
  add(plan, R"([{"name":"a","match":{"account":"one"},"then":{"close":true}},
                {"name":"b","match":{"account":"two"},"then":{"close":true}}, {"name":"c","then":{"close":true}}])");
  CHECK(hits(plan, "one", 1) == "x");
  CHECK(plan.unused() == std::vector<std::string>{"b", "c"});
  CHECK(plan.remove_of_account("two") == 1);
  CHECK(plan.unused() == std::vector<std::string>{"b", "c"});
  CHECK(plan.remove("a"));
  CHECK_FALSE(plan.remove("a"));
  CHECK(plan.remove_of_account(std::nullopt) == 0);
  CHECK(plan.remove_all() == 1);
  CHECK_FALSE(plan.is_active());
  CHECK(plan.unused() == std::vector<std::string>{"b", "c"});
}

RetryLog::Attempt attempt(std::string_view fault, int status, std::optional<ErrorCode> error, bool is_committed) {
  return {.account = "acct",
          .method = "POST",
          .target = "/acct/orders",
          .client_request_id = "id-1",
          .body = "{}",
          .fault = fault,
          .status = status,
          .error = error,
          .is_committed = is_committed};
}

TEST_CASE("a request that comes again after a fault is one request with several attempts") {
  RetryLog log;
  const RetryLog::Clock::time_point start;
  log.record(attempt("", 201, {}, true), start);  // no fault: not remembered
  CHECK(log.to_json().at("retries").empty());
  log.record(attempt("lost", 0, {}, true), start);
  log.record(attempt("", 409, ErrorCode::EntityAlreadyExists, false), start + std::chrono::milliseconds(800));
  const auto seen = log.to_json("acct").at("retries").at(0);
  CHECK(seen.at("attempts").size() == 2);
  CHECK(seen.at("attempts")[0].at("fault") == "lost");
  CHECK(seen.at("attempts")[0].at("status").is_null());
  CHECK(seen.at("attempts")[1].at("after") == 800);
  CHECK(seen.at("attempts")[1].at("code") == "EntityAlreadyExists");
  CHECK(seen.at("outcome") == "failed");
  CHECK(seen.at("committed") == 1);
  CHECK(seen.at("metOwnWork") == true);
  CHECK(log.to_json("other").at("retries").empty());
  log.record(attempt("", 201, {}, true), start);  // answered: a further one is another request
  CHECK(log.to_json().at("retries").size() == 1);
}

TEST_CASE("an upsert can be committed twice, and a client can give up") {
  RetryLog log;
  const RetryLog::Clock::time_point start;
  log.record(attempt("lost", 0, {}, true), start);
  CHECK(log.to_json().at("retries")[0].at("outcome") == "given up");
  log.record(attempt("", 204, {}, true), start);
  CHECK(log.to_json().at("retries")[0].at("outcome") == "succeeded");
  CHECK(log.to_json().at("retries")[0].at("committed") == 2);
  CHECK(log.to_json().at("retries")[0].at("metOwnWork") == false);
}

TEST_CASE("a request that was only delayed is answered") {
  RetryLog log;
  auto delayed = attempt("slow", 200, {}, false);
  delayed.keeps_answer = true;
  log.record(delayed, {});
  CHECK(log.to_json().at("retries")[0].at("outcome") == "succeeded");
}

// --- A retry that overtakes ------------------------------------------------------------------------------

using std::chrono::milliseconds;

TEST_CASE("a retry that comes while its first attempt is delayed is the same request") {
  RetryLog log;
  const RetryLog::Clock::time_point start;
  const auto ticket = log.begin(attempt("slow", 0, {}, false), start);
  CHECK(log.to_json().at("retries")[0].at("outcome") == "pending");
  log.record(attempt("", 201, {}, true), start + milliseconds(500));
  auto first = attempt("slow", 409, ErrorCode::EntityAlreadyExists, false);
  first.keeps_answer = true;
  log.record(first, ticket, start + milliseconds(2'000));
  const auto seen = log.to_json().at("retries");
  REQUIRE(seen.size() == 1);
  const auto& attempts = seen[0].at("attempts");
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].at("fault") == "slow");
  CHECK(attempts[0].at("status") == 409);
  CHECK(attempts[1].at("status") == 201);
  CHECK(attempts[1].at("after") == 500);
  CHECK(seen[0].at("outcome") == "succeeded");  // what the client has, is the answer to its last attempt
  CHECK(seen[0].at("metOwnWork") == true);      // the first one met that of the second
  CHECK(seen[0].at("committed") == 1);
}

TEST_CASE("an attempt whose client has left is given up, and its retry is known before and after that") {
  for (const bool overtakes : {true, false}) {
    CAPTURE(overtakes);
    RetryLog log;
    const RetryLog::Clock::time_point start;
    const auto ticket = log.begin(attempt("slow", 0, {}, false), start);
    if (!overtakes) log.record(attempt("slow", 0, {}, false), ticket, start + milliseconds(1));
    log.record(attempt("", 201, {}, true), start + milliseconds(2));
    if (overtakes) log.record(attempt("slow", 0, {}, false), ticket, start + milliseconds(3));
    const auto seen = log.to_json().at("retries").at(0);
    CHECK(seen.at("attempts").size() == 2);
    CHECK(seen.at("attempts")[0].at("status").is_null());
    CHECK(seen.at("outcome") == "succeeded");
    CHECK(seen.at("committed") == 1);
    CHECK(seen.at("metOwnWork") == false);
  }
}

TEST_CASE("an answer that is delayed after the commit has not come before its time") {
  RetryLog log;
  const RetryLog::Clock::time_point start;
  auto late = attempt("late", 201, {}, true);
  late.keeps_answer = true;
  late.delay = milliseconds(1'000);
  log.record(late, start);
  log.record(attempt("", 409, ErrorCode::EntityAlreadyExists, false), start + milliseconds(300));
  const auto seen = log.to_json().at("retries").at(0);
  CHECK(seen.at("attempts").size() == 2);
  CHECK(seen.at("outcome") == "failed");
  CHECK(seen.at("metOwnWork") == true);
  log.record(late, start + milliseconds(400));
  log.record(attempt("", 409, ErrorCode::EntityAlreadyExists, false), start + milliseconds(1'500));  // another request
  CHECK(log.to_json().at("retries").size() == 2);
  CHECK(log.to_json().at("retries")[1].at("attempts").size() == 1);
}

TEST_CASE("what was forgotten while it was delayed does not come back") {
  RetryLog log;
  const auto ticket = log.begin(attempt("slow", 0, {}, false), {});
  log.clear("acct");
  log.record(attempt("slow", 201, {}, true), ticket, {});
  CHECK(log.to_json().at("retries").empty());
}

TEST_CASE("the log is bounded and counts what it drops") {
  RetryLog log;
  for (int i = 0; i < 1'005; ++i) {
    auto one = attempt("lost", 0, {}, false);
    const std::string target = "/acct/orders" + std::to_string(i), id = std::to_string(i);
    one.target = target;
    one.client_request_id = id;
    log.record(one, {});
  }
  CHECK(log.to_json().at("retries").size() == 1'000);
  CHECK(log.to_json().at("dropped") == 5);
  log.clear();
  CHECK(log.to_json().at("retries").empty());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
