#include "server/faults/fault_plan.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

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
  REQUIRE(plan.add(rules) == std::nullopt);
}

// `x` for each request that is hit, `.` for the others.
std::string hits(FaultPlan& plan, std::string_view account, int requests) {
  std::string out;
  for (int i = 0; i < requests; ++i) out += plan.decide(request_of(account)) ? 'x' : '.';
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
  CHECK(plan.find("f")->at("hits") == 6);
  CHECK(plan.to_json("one").at("faults")[0].at("matched") == 7);
}

TEST_CASE("the first rule that fires hits; a later one sees what passes") {
  FaultPlan plan;
  add(plan, R"([{"name":"once","when":{"count":1},"then":{"close":true}},{"name":"then","then":{"reset":true}}])");
  CHECK(plan.decide(request_of("one"))->rule == "once");
  CHECK(plan.decide(request_of("one"))->rule == "then");
  CHECK(plan.find("then")->at("matched") == 1);
}

TEST_CASE("a seed repeats the same hits and delays") {
  const std::string text =
      R"({"when":{"probability":0.3,"seed":11},"then":{"delay":{"lognormal":{"median":"20ms","sigma":1}}}})";
  FaultPlan one, other;
  add(one, text);
  add(other, text);
  int hit = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto first = one.decide(request_of("acct")), second = other.decide(request_of("acct"));
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
  CHECK(plan.find("f")->at("hits") == 3);
}

TEST_CASE("names are unique, and made if there are none") {
  FaultPlan plan;
  add(plan, R"([{"then":{"close":true}},{"name":"fault-2","then":{"close":true}}])");
  auto again =
      parse_fault_rules(R"([{"name":"new","then":{"close":true}},{"name":"fault-2","then":{"close":true}}])", "");
  CHECK(plan.add(again) == "fault-2");
  CHECK(plan.find("new") == std::nullopt);
  auto nameless = parse_fault_rules(R"({"then":{"close":true}})", "");
  CHECK(plan.add(nameless) == std::nullopt);
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
  delayed.is_only_delayed = true;
  log.record(delayed, {});
  CHECK(log.to_json().at("retries")[0].at("outcome") == "succeeded");
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
