// har_entry(): the content of an entry, any bytes of the client, and masking.
#include "server/events/har_entry.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/base64.h"

namespace rocktable::TEST_FILE {
namespace {

using nlohmann::json;

constexpr std::string_view kAnswerHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";

TracedExchange exchange_of(std::string_view request_head, std::string_view request_body = "",
                           std::string_view response_head = kAnswerHead, std::string_view response_body = "{}") {
  TracedExchange out;
  out.started = std::chrono::system_clock::from_time_t(1'622'043'910) + std::chrono::microseconds(45'678);
  out.scheme = "http";
  out.server_address = "127.0.0.1";
  out.server_port = 10002;
  out.client_address = "127.0.0.1";
  out.connection = 7;
  out.request_head = request_head;
  out.request_body = request_body;
  out.request_body_bytes = request_body.size();
  out.response_head = response_head;
  out.response_body = response_body;
  out.response_body_bytes = response_body.size();
  return out;
}

json entry_of(const TracedExchange& exchange) {
  const std::string text = har_entry(exchange);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.size() <= kMaxEntryBytes);
  return json::parse(text);
}

json entry_of(std::string_view request_head, std::string_view request_body = "") {
  return entry_of(exchange_of(request_head, request_body));
}

std::string header_of(const json& message, std::string_view name) {
  for (const auto& header : message["headers"])
    if (header["name"] == name) return header["value"];
  return "(none)";
}

TEST_CASE("An entry describes the whole exchange") {
  const std::string head =
      "POST /acc/t?timeout=3&x=a%20b HTTP/1.1\r\nHost: 127.0.0.1:10002\r\nContent-Type: application/json\r\n"
      "Authorization: SharedKey acc:5ec4e7\r\n";
  TracedExchange exchange = exchange_of(head, R"({"a":"é"})");
  exchange.receiving = std::chrono::microseconds(250);
  exchange.working = std::chrono::microseconds(1'500);
  exchange.sending = std::chrono::microseconds(50);
  exchange.request_id = "id-1";
  exchange.plan_class = "point";
  exchange.entities_scanned = 5;
  exchange.entities_scanned_here = 3;
  exchange.entities_returned = 2;
  exchange.error_code = "EntityNotFound";
  exchange.explanation = "The string to sign is '...'";
  exchange.comment = "the client went away";
  const json expected = json::parse(R"({
    "startedDateTime": "2021-05-26T15:45:10.045Z", "time": 1.8,
    "request": {
      "method": "POST", "url": "http://127.0.0.1:10002/acc/t?timeout=3&x=a%20b", "httpVersion": "HTTP/1.1", "cookies": [],
      "headers": [{"name": "Host", "value": "127.0.0.1:10002"}, {"name": "Content-Type", "value": "application/json"},
                  {"name": "Authorization", "value": "SharedKey acc:***"}],
      "queryString": [{"name": "timeout", "value": "3"}, {"name": "x", "value": "a b"}],
      "postData": {"mimeType": "application/json", "params": [], "text": "{\"a\":\"é\"}"},
      "headersSize": -1, "bodySize": 10},
    "response": {
      "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
      "headers": [{"name": "Content-Type", "value": "application/json"}, {"name": "Content-Length", "value": "2"}],
      "content": {"size": 2, "mimeType": "application/json", "text": "{}"},
      "redirectURL": "", "headersSize": 70, "bodySize": 2},
    "cache": {},
    "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0.25, "wait": 1.5, "receive": 0.05},
    "serverIPAddress": "127.0.0.1", "connection": "7",
    "_rocktable": {"client": "127.0.0.1", "requestId": "id-1", "plan": "point", "scanned": 5, "scannedHere": 3, "returned": 2,
                   "errorCode": "EntityNotFound", "explanation": "The string to sign is '...'"},
    "comment": "the client went away"})");
  CHECK(entry_of(exchange) == expected);
}

TEST_CASE("The URL is the one that the client used, in any form") {
  const struct {
    std::string_view head, url;
  } cases[] = {
      {"GET /a/t HTTP/1.1\r\nHost: h:1\r\n", "http://h:1/a/t"},
      {"GET /a/t HTTP/1.0\r\n", "http://127.0.0.1:10002/a/t"},
      {"GET http://x/a/t?sig=5ec4e7 HTTP/1.1\r\nHost: h:1\r\n", "http://x/a/t?sig=***"},
      {"OPTIONS * HTTP/1.1\r\nHost: h\r\n", "http://h/*"},
      {"GET /t?sv=1&sig=5ec4e7%3D&se=2 HTTP/1.1\r\nHost: h\r\n", "http://h/t?sv=1&sig=***&se=2"},
      {"GET /t?sig=5ec4e7'5ec4e7 5ec4e7 HTTP/1.1\r\nHost: h\r\n", "http://h/t?sig=***"},
      {"GET /t(a='b c\"\\<>') HTTP/1.1\r\nHost: h\r\n", "http://h/t(a='b%20c%22%5C%3C%3E')"},
      {"GET /\xC3\xA9\xFF\x01 HTTP/1.1\r\nHost: h\r\n", "http://h/%C3%A9%FF%01"},
      {"GET /t", "http://127.0.0.1:10002/t"},
      {"GET /t HTTP/1.1\r\nHost: [::1]:80\r\n", "http://[::1]:80/t"},
      // no host: the address
      {"GET /t HTTP/1.1\r\nHost: h\xFF\r\n", "http://127.0.0.1:10002/t"},
      {"GET /t HTTP/1.1\r\nHost: [::1\r\n", "http://127.0.0.1:10002/t"},
      {"GET /t HTTP/1.1\r\nHost: []\r\n", "http://127.0.0.1:10002/t"},
      {"GET /t HTTP/1.1\r\nHost: h:x\r\n", "http://127.0.0.1:10002/t"},
      {"GET /t HTTP/1.1\r\nHost: h:65536\r\n", "http://127.0.0.1:10002/t"},
      {"GET /t HTTP/1.1\r\nHost: u:p@h\r\n", "http://127.0.0.1:10002/t"},
      {"GET http://[/t HTTP/1.1\r\n", "http://127.0.0.1:10002/http://[/t"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.head);
    CHECK(entry_of(c.head)["request"]["url"] == c.url);
  }
  TracedExchange exchange = exchange_of("GET /t HTTP/1.1\r\n");
  exchange.server_address = "::1";
  exchange.scheme = "https";
  CHECK(entry_of(exchange)["request"]["url"] == "https://[::1]:10002/t");
}

TEST_CASE("Bytes that are not UTF-8 result in valid JSON") {
  const json entry = entry_of("GET /t?a=%FF&b=%C3%A9 HTTP/1.1\r\nx-note: caf\xE9\r\nx-text: caf\xC3\xA9\r\n");
  CHECK(header_of(entry["request"], "x-note") == "café");  // Latin-1
  CHECK(header_of(entry["request"], "x-text") == "café");
  CHECK(entry["request"]["queryString"] ==
        json::parse(R"([{"name": "a", "value": "%FF"}, {"name": "b", "value": "é"}])"));
}

TEST_CASE("A binary body is base64") {
  const std::string_view bodies[] = {"\xFF\xFE", std::string_view("a\0b", 3), "\x1B[31m", "\xC3"};
  for (const auto body : bodies) {
    CAPTURE(body);
    const json data = entry_of("POST /t HTTP/1.1\r\n", body)["request"]["postData"];
    CHECK(data["encoding"] == "base64");
    CHECK(decode_base64(data["text"].get<std::string>()) == body);
    const json content = entry_of(exchange_of("GET /t HTTP/1.1\r\n", "", kAnswerHead, body))["response"]["content"];
    CHECK(content["encoding"] == "base64");
    CHECK(decode_base64(content["text"].get<std::string>()) == body);
    CHECK(content["size"] == body.size());
  }
  CHECK_FALSE(entry_of("POST /t HTTP/1.1\r\n", "a\tb\r\n")["request"]["postData"].contains("encoding"));
}

TEST_CASE("Secrets in a binary body are masked, too") {
  const std::string body = "--b\r\n\r\nPUT http://h/t?sig=5ec4e7 HTTP/1.1\r\nx-rocktable-token: 5ec4e7\r\n\r\n\xFF";
  const json data =
      entry_of("POST /t HTTP/1.1\r\nContent-Type: Multipart/Mixed; boundary=b\r\n", body)["request"]["postData"];
  CHECK(decode_base64(data["text"].get<std::string>()) ==
        "--b\r\n\r\nPUT http://h/t?sig=*** HTTP/1.1\r\nx-rocktable-token: ***\r\n\r\n\xFF");
}

TEST_CASE("A large body is truncated at a character boundary, and its size recorded") {
  const std::string body = "xx" + [] {  // 65,536 bytes end within a character
    std::string out;
    while (out.size() < 2 * kMaxTracedBytes) out += "€";  // three bytes
    return out;
  }();
  TracedExchange exchange = exchange_of("POST /t HTTP/1.1\r\n", body, kAnswerHead, body);
  const json entry = entry_of(exchange);
  for (const json& kept : {entry["request"]["postData"], entry["response"]["content"]}) {
    const std::string text = kept["text"];
    CHECK(text.size() <= kMaxTracedBytes);
    CHECK(text.size() > kMaxTracedBytes - 3);
    CHECK(body.starts_with(text));
    CHECK(kept["comment"] ==
          "the first " + std::to_string(text.size()) + " of " + std::to_string(body.size()) + " bytes");
    CHECK_FALSE(kept.contains("encoding"));
  }
  CHECK(entry["request"]["bodySize"] == body.size());
  CHECK(entry["response"]["content"]["size"] == body.size());
  exchange.request_body = "";  // dropped
  CHECK(entry_of(exchange)["request"]["postData"]["comment"] == "the body was not kept");
}

TEST_CASE("Malformed and incomplete requests are recorded as far as possible") {
  const auto nothing = exchange_of("\x16\x03\x01\x02 garbage: 5ec4e7\r\nCookie: 5ec4e7", "", "", "");
  const json entry = entry_of(nothing);
  CHECK(entry["request"]["method"] == "");
  CHECK(entry["request"]["url"] == "http://127.0.0.1:10002/");
  CHECK(entry["request"]["headers"].empty());
  CHECK(entry["response"]["status"] == 0);
  CHECK(entry["response"]["headersSize"] == -1);

  for (const std::string_view line : {"x-rocktable-token 5ec4e7\r\n", "Cookie: 5ec4e7\r\n", "GET\r\n", "\r\n", ""}) {
    CAPTURE(line);
    const json request = entry_of(line)["request"];
    CHECK(request["method"] == "");
    CHECK(request["url"] == "http://127.0.0.1:10002/");
  }

  const json half = entry_of("PUT /t?sig=5ec4e7 HT");
  CHECK(half["request"]["method"] == "PUT");
  CHECK(half["request"]["url"] == "http://127.0.0.1:10002/t?sig=***");

  const json bad = entry_of(
      "GET /t HTTP/1.1\r\nAuthorization : SharedKey acc:5ec4e7\r\nAuthorization: SharedKey\r\n acc:5ec4e7\r\n"
      "x-rocktable-token 5ec4e7\r\nCookie=5ec4e7\r\nno-colon\r\nlast: wo");
  CHECK(bad["request"]["headers"] == json::parse(R"([
    {"name": "Authorization", "value": "SharedKey acc:***"}, {"name": "Authorization", "value": "SharedKey acc:***"},
    {"name": "x-rocktable-token", "value": "***"}, {"name": "Cookie", "value": "***"}, {"name": "no-colon", "value": ""},
    {"name": "last", "value": "wo"}])"));
}

TEST_CASE("Any bytes result in an entry of bounded size") {
  std::mt19937 random(1);
  const std::string_view pieces[] = {"\r\n",       " ",        ":",  "\xFF",     "\x01",
                                     "?",          "&",        "=",  "%",        "sig=",
                                     "a",          "\"",       "\\", "\xE2\x82", "Authorization: ",
                                     "SharedKey ", "HTTP/1.1", "/",  "\n ",      std::string_view("\0", 1)};
  for (int i = 0; i < 300; ++i) {
    std::string texts[4];
    for (auto& text : texts)
      for (auto n = random() % 40; n > 0; --n) text += pieces[random() % std::size(pieces)];
    CAPTURE(texts[0]);
    entry_of(exchange_of(texts[0], texts[1], texts[2], texts[3]));
  }
  for (const auto piece : {"\x01: \x01\r\n", "\xFF", "a=&", "sig=&", "\"", "x: SharedKey a:\r\n"}) {
    CAPTURE(piece);
    std::string much;
    while (much.size() < kMaxTracedBytes) much += piece;
    const std::string head = "GET /?" + much.substr(0, kMaxTracedBytes) + " HTTP/1.1\r\n" + much;
    entry_of(exchange_of(head, much, kAnswerHead, much));
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
