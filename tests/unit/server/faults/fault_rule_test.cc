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

TEST_CASE("what a rule may say of time, speed, headers and clocks is written as it is read") {
  const std::string when = R"({"after":"5s","every":"1m","for":"10s"})";
  CHECK(to_json(rule(R"({"then":{"reset":true},"when":)" + when + "}")).at("when").dump() == when);
  for (const std::string then : {R"({"at":"arrival","code":"ServerBusy","headers":{"Retry-After":"5"},"status":503})",
                                 R"({"at":"beforeCommit","status":504})", R"({"at":"arrival","reset":true})",
                                 R"({"at":"arrival","clientClock":"-20m"})",
                                 R"({"at":"afterCommit","bytesPerSecond":100,"requestBytesPerSecond":50})",
                                 R"({"at":"beforeCommit","code":"NotImplemented","status":501})",
                                 R"({"at":"afterCommit","headers":{"ETag":null,"X-Two":["1","2"]}})"}) {
    CAPTURE(then);
    CHECK(to_json(rule(R"({"then":)" + then + "}")).at("then").dump() == then);
  }
  CHECK(to_json(rule(R"({"match":{"account":"a"},"then":{"handshake":"expired"}})")).at("then").dump() ==
        R"({"at":"handshake","handshake":"expired"})");
  CHECK(to_json(rule(R"({"then":{"status":501}})")).at("then").at("code") == "NotImplemented");
}

TEST_CASE("headers are replaced, added and removed, whatever their case") {
  const auto changes =
      rule(R"({"then":{"headers":{"etag":null,"X-Two":["1","2"],"Date":"never","server":"mine"}}})").then.headers;
  std::string fields = "ETag: W/1\r\nDate: now\r\nX-Last: 1\r\nServer: a\r\nserver: b\r\n";
  change_fields(changes, fields);
  CHECK(fields == "X-Last: 1\r\nX-Two: 1\r\nX-Two: 2\r\nDate: never\r\nserver: mine\r\n");
  std::string none;
  change_fields(rule(R"({"then":{"headers":{"A":null}}})").then.headers, none);
  CHECK(none.empty());
}

TEST_CASE("a client's clock matters only to a signature with a date that it makes too old or too new") {
  const DateTime now = *parse_http_date("Sat, 22 May 2021 23:05:14 GMT");
  const FaultRule fast = rule(R"({"then":{"clientClock":"+20m"}})"), slow = rule(R"({"then":{"clientClock":"-10m"}})");
  RequestFacts request = insert_of("de", "7");
  CHECK_FALSE(fast.applies_to(request, now));  // a shared access signature has no date
  request.signed_date = "Sat, 22 May 2021 23:05:14 GMT";
  CHECK(fast.applies_to(request, now));
  CHECK_FALSE(slow.applies_to(request, now));
  request.signed_date = "Sat, 22 May 2021 22:55:14 GMT";  // 10 minutes slow already
  CHECK_FALSE(fast.applies_to(request, now));
  CHECK(slow.applies_to(request, now));
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
       "rules:1:19: then.resett: unknown property; allowed: at, status, code, message, handshake, clientClock, reset, "
       "close, "
       "cutAfterBytes, delay, bytesPerSecond, requestBytesPerSecond, headers"},
      {R"({"name":"x"})", "rules:1:1: the property then is missing"},
      {R"({"then":{}})",
       "rules:1:9: then: must have one of code, status, handshake, clientClock, reset, close and cutAfterBytes, or "
       "delay, "
       "bytesPerSecond, requestBytesPerSecond or headers"},
      {R"({"then":{"reset":true,"close":true}})",
       "rules:1:9: then: must have only one of code, status, handshake, clientClock, reset, close and cutAfterBytes"},
      {R"({"then":{"reset":false}})", "rules:1:18: then.reset: must be true, or be left out"},
      {R"({"then":{"status":409}})",
       "rules:1:19: then.status: needs a code, because several have this status: EntityAlreadyExists, "
       "TableAlreadyExists, TableBeingDeleted"},
      {R"({"then":{"status":418}})",
       "rules:1:19: then.status: no error of the table service has this status; a status alone may be 408, 429, 502 or "
       "504, which come from a proxy or a gateway before it, or that of an error"},
      {R"({"then":{"status":504,"message":"m"}})", "rules:1:33: then.message: needs a code of the service"},
      {R"({"then":{"clientClock":"soon"}})",
       "rules:1:24: then.clientClock: must be how fast the client's clock is, such as +20m or -1h; at most 3650 days"},
      {R"({"then":{"clientClock":"1h","at":"afterCommit"}})",
       "rules:1:34: then.at: clientClock is looked at when the request arrives"},
      {R"({"then":{"delay":"1s","at":"arrival"}})",
       "rules:1:28: then.at: needs one of code, status, reset and close: there is no other answer yet"},
      {R"({"match":{"table":"orders"},"then":{"at":"arrival","close":true}})",
       "rules:1:19: match.table: a rule for the arrival of requests can match only account, method, "
       "clientRequestIdPrefix"},
      {R"({"then":{"bytesPerSecond":0}})", "rules:1:27: then.bytesPerSecond: must be from 1 to 1000000000"},
      {R"({"then":{"reset":true,"bytesPerSecond":9}})",
       "rules:1:40: then.bytesPerSecond: there is no answer after reset or close"},
      {R"({"then":{"close":true,"headers":{"A":"b"}}})",
       "rules:1:33: then.headers: there is no answer after reset or close"},
      {R"({"then":{"handshake":"cut"}})",
       "rules:1:9: then: handshake needs match.account, when.count or when.for, because it also hits the control API, "
       "which has the same port"},
      {R"({"then":{"handshake":"slow"}})", "rules:1:22: then.handshake: must be refuse, cut, expired or otherName"},
      {R"({"when":{"count":1},"then":{"handshake":"cut","delay":"1s"}})",
       "rules:1:28: then: a handshake that fails has neither a delay nor an answer"},
      {R"({"match":{"method":"GET"},"when":{"count":1},"then":{"handshake":"cut"}})",
       "rules:1:20: match.method: a rule for handshakes can match only account"},
      {R"({"then":{"headers":{}}})", "rules:1:20: then.headers: must name a header"},
      {"{\"then\":{\"headers\":{\n\"Retry-After\":\"5\\r\\nX-Other: 1\"}}}",
       "rules:2:15: then.headers.Retry-After: must be printable ASCII, without a line break"},
      {R"({"then":{"headers":{"X y":"1"}}})",
       "rules:1:27: then.headers.X y: the name of a header must have 1 to 100 letters, digits and signs such as -"},
      {R"({"then":{"headers":{"content-length":"1"}}})",
       "rules:1:38: then.headers.content-length: this header says where the answer ends; cutAfterBytes, close and "
       "reset "
       "change that"},
      {R"({"then":{"headers":{"A":"1","a":"2"}}})", "rules:1:33: then.headers.a: this header is named twice"},
      {R"({"when":{"for":"0s"},"then":{"close":true}})",
       "rules:1:16: when.for: must be a duration such as 500ms, 10s or 2m, of 1ms to 365 days"},
      {R"({"when":{"every":"60s"},"then":{"close":true}})",
       "rules:1:18: when.every: needs for: how long the rule is on each time"},
      {R"({"when":{"every":"10s","for":"10s"},"then":{"close":true}})",
       "rules:1:18: when.every: must be longer than for, which is 10s"},
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
