#include "server/faults/fault_rule.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "odata/files/file_error.h"

namespace rocktable::TEST_FILE {
namespace {

FaultRule rule(const std::string& text) { return parse_fault_rules(text, "rules").front(); }

std::string refusal_of(const std::string& text) {
  try {
    parse_fault_rules(text, "rules");
    return "";
  } catch (const FileError& error) {
    return error.what();
  }
}

FaultMatch match(const std::string& text) { return rule("{\"match\":" + text + ",\"then\":{\"reset\":true}}").match; }

RequestFacts insert_of(const std::string& partition, const std::string& row) {
  RequestFacts out;
  out.account = "test42";
  out.table = "Orders";
  out.operation = "InsertEntity";
  out.method = "POST";
  out.client_request_id = "checkout-17";
  out.entities = {{"InsertEntity", partition, row}};
  return out;
}

TEST_CASE("a rule is written as it is read, with its defaults") {
  const FaultRule read = rule(R"({"name": "lost-insert",
    "match": {"account": "test42", "table": "orders", "operation": ["InsertEntity"], "partitionKey": "de"},
    "when": {"skip": 2, "count": 1}, "then": {"at": "afterCommit", "reset": true}})");
  CHECK(to_json(read).dump() ==
        R"({"match":{"account":"test42","operation":["InsertEntity"],"partitionKey":"de","table":"orders"},)"
        R"("name":"lost-insert","then":{"at":"afterCommit","reset":true},"when":{"count":1,"skip":2}})");
  CHECK(to_json(rule(R"({"then":{"status":503}})")).at("then").dump() ==
        R"({"at":"beforeCommit","code":"ServerBusy","status":503})");
  CHECK(to_json(rule(R"({"then":{"cutAfterBytes":100}})")).at("then").dump() ==
        R"({"at":"afterCommit","cutAfterBytes":100})");
  CHECK(to_json(rule(R"({"then":{"delay":{"lognormal":{"median":"20ms","sigma":0.8}}},"when":{"seed":5}})")).dump() ==
        R"({"match":{},"name":"","then":{"at":"beforeCommit","delay":{"lognormal":{"median":"20ms","sigma":0.8}}},)"
        R"("when":{"seed":5}})");
}

TEST_CASE("a rule with a probability draws a seed if it has none") {
  const std::string text = R"({"when":{"probability":0.5},"then":{"close":true}})";
  CHECK(rule(text).when.seed != rule(text).when.seed);
  CHECK(rule(R"({"then":{"close":true}})").when.seed == 0);
}

TEST_CASE("a wrong rule is refused with its place and what is allowed") {
  struct {
    const char *text, *sentence;
  } cases[] = {
      {R"({"then":{"resett":true}})",
       "rules:1:19: then.resett: unknown property; allowed: at, status, code, message, reset, close, "
       "cutAfterBytes, "
       "delay"},
      {R"({"name":"x"})", "rules:1:1: the property then is missing"},
      {R"({"then":{}})", "rules:1:9: then: must have one of code, reset, close, cutAfterBytes and delay"},
      {R"({"then":{"reset":true,"close":true}})",
       "rules:1:9: then: must have one of code, reset, close and cutAfterBytes"},
      {R"({"then":{"reset":false}})", "rules:1:18: then.reset: must be true, or be left out"},
      {R"({"then":{"status":409}})", "rules:1:19: then.status: needs a code: several have this status"},
      {R"({"then":{"status":500,"code":"ServerBusy"}})", "rules:1:19: then.status: the status of ServerBusy is 503"},
      {R"({"then":{"code":"Busy"}})", "rules:1:17: then.code: `Busy` is not a code of the service's errors"},
      {R"({"then":{"delay":"5"}})",
       "rules:1:18: then.delay: must be a duration such as 300ms or 2s, of at most 10 minutes"},
      {R"({"then":{"cutAfterBytes":1,"at":"beforeCommit"}})",
       "rules:1:33: then.at: cutAfterBytes cuts the response, which exists only afterCommit"},
      {R"({"match":{"method":"GETT"},"then":{"close":true}})",
       "rules:1:20: match.method: `GETT` is not a method; allowed: DELETE, GET, HEAD, MERGE, PATCH, POST, "
       "PUT"},
      {R"({"match":{"position":100},"then":{"close":true}})", "rules:1:22: match.position: must be from 0 to 99"},
      {R"({"when":{"probability":2},"then":{"close":true}})", "rules:1:24: when.probability: must be from 0 to 1"},
      {R"([{"name":"a","then":{"close":true}},{"name":"a","then":{"close":true}}])",
       "rules:1:45: [1].name: another rule has the same name"},
      {"", "rules:1:1: this is not JSON: it is empty"},
      {"7", "rules:1:1: must be an object, but is an integer"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(refusal_of(c.text) == c.sentence);
  }
}

TEST_CASE("all conditions must hold") {
  const RequestFacts request = insert_of("de", "7");
  for (const char* text : {"{}", R"({"account":"test42"})", R"({"table":"ORDERS"})", R"({"operation":"InsertEntity"})",
                           R"({"method":["PUT","POST"]})", R"({"partitionKey":"de"})", R"({"partitionKeyPrefix":"d"})",
                           R"({"rowKey":"7"})", R"({"clientRequestIdPrefix":"checkout-"})",
                           R"({"table":"orders","partitionKey":"de","rowKey":"7"})"}) {
    CAPTURE(text);
    CHECK(match(text).matches(request));
  }
  for (const char* text :
       {R"({"account":"test4"})", R"({"table":"order"})", R"({"operation":"DeleteEntity"})", R"({"method":"PUT"})",
        R"({"partitionKey":"d"})", R"({"partitionKeyPrefix":"e"})", R"({"rowKey":"8"})",
        R"({"clientRequestIdPrefix":"cart-"})", R"({"partitionKey":"de","rowKey":"8"})", R"({"position":0})"}) {
    CAPTURE(text);
    CHECK_FALSE(match(text).matches(request));
  }
}

TEST_CASE("a change set matches by any of its entities, or by one at a position") {
  RequestFacts batch = insert_of("de", "7");
  batch.operation = "Batch";
  batch.is_batch = true;
  batch.entities.push_back({"MergeEntity", "de", "8"});
  for (const char* text :
       {R"({"operation":"Batch"})", R"({"operation":"MergeEntity"})", R"({"operation":"WriteEntity"})",
        R"({"rowKey":"8"})", R"({"operation":"Batch","rowKey":"8"})", R"({"position":1})",
        R"({"position":1,"operation":"MergeEntity"})", R"({"position":1,"operation":"Batch","rowKey":"8"})"}) {
    CAPTURE(text);
    CHECK(match(text).matches(batch));
  }
  for (const char* text : {R"({"operation":"DeleteEntity"})", R"({"operation":"InsertEntity","rowKey":"8"})",
                           R"({"position":2})", R"({"position":0,"rowKey":"8"})"}) {
    CAPTURE(text);
    CHECK_FALSE(match(text).matches(batch));
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
