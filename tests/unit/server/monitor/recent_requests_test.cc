// Which requests are kept and told, and how a gap shows.
#include "server/monitor/recent_requests.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "server/monitor/request_stream.h"
#include "tests/unit/server/monitor/sent_request.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr std::size_t kAll = 1'000'000;
const WantedRequests kDetailed{.details = true};

void send(RecentRequests& requests, const SentRequest& sent = {}) {
  with_event(sent, [&](const RequestEvent& event) { requests.record(event); });
}

nlohmann::json since(const RecentRequests& requests, std::uint64_t first, const WantedRequests& wanted = {},
                     std::size_t limit = kAll) {
  return nlohmann::json::parse(requests.since(first, wanted, limit));
}

TEST_CASE("requests are kept from the start, though nobody asks") {
  RecentRequests requests;
  send(requests);
  send(requests, {.account = "two", .target = "/two/orders()"});
  const auto told = since(requests, 0);
  CHECK(told.at("missing") == 1);  // there is no number 0
  CHECK(since(requests, 1).at("isComplete") == true);
  REQUIRE(told.at("requests").size() == 2);
  CHECK(told["requests"][0].at("number") == 1);
  CHECK(since(requests, 1, {.account = "two"}).at("requests").size() == 1);
  CHECK(since(requests, told.at("next").get<std::uint64_t>()).at("requests").empty());
  CHECK(nlohmann::json::parse(requests.since(std::nullopt, {}, kAll)).at("next") == 3);
}

TEST_CASE("a request of another service is not kept, nor is one to a server that keeps none") {
  RecentRequests off({.bytes = 0});
  send(off);
  CHECK_FALSE(off.is_on());
  CHECK_FALSE(off.wants_explanation());
  CHECK(since(off, 1).at("requests").empty());
  RecentRequests requests;
  with_event({}, [&](RequestEvent event) {
    event.key = nullptr;
    requests.record(event);
  });
  CHECK(requests.next() == 1);
}

TEST_CASE("details have headers and the beginnings of the bodies, without secrets") {
  RecentRequests requests;
  send(requests, {.response_body = std::string(RecordLimits::kResponseBody + 1'000, 'x')});
  const auto told = since(requests, 1, kDetailed).at("requests")[0];
  CHECK(told.at("requestBody") == "{\"A\": 1}");
  CHECK(told.at("responseHeaders") == nlohmann::json::parse(R"([["ETag", "W/\"1\""]])"));
  CHECK(told.at("responseBody").get<std::string>().size() == RecordLimits::kResponseBody);
  CHECK(told.at("bytesSent") == RecordLimits::kResponseBody + 1'000);
  CHECK(told.at("requestHeaders") ==
        nlohmann::json::parse(R"([["Host", "127.0.0.1:10002"], ["Authorization", "SharedKey one:***"],
                                  ["User-Agent", "tester/1"], ["x-ms-client-request-id", "suite/7"]])"));
  CHECK(told.dump().find("secret") == std::string::npos);
  const auto brief = since(requests, 1).at("requests")[0];
  CHECK_FALSE(brief.contains("requestBody"));
  CHECK(brief.at("client") == "tester/1");
  CHECK(brief.at("clientRequestId") == "suite/7");
  CHECK(brief.dump().find("secret") == std::string::npos);
}

TEST_CASE("bodies are not kept if they are switched off") {
  RecentRequests requests({.bodies = false});
  send(requests, {.body = "the body of the request", .response_body = "that of the answer"});
  const auto told = since(requests, 1, kDetailed).at("requests")[0];
  CHECK(told.at("requestBody") == "");
  CHECK(told.at("responseBody") == "");
  CHECK(told.at("requestHeaders").size() == 4);
}

TEST_CASE("an answer has at most so many requests, and says where to go on") {
  RecentRequests requests;
  for (int i = 0; i < 5; ++i) send(requests, {.account = i == 3 ? "two" : "one"});
  const auto first = since(requests, 1, {.account = "one"}, 3);
  CHECK(first.at("requests").size() == 3);
  CHECK(first.at("more") == true);
  CHECK(first.at("isComplete") == false);
  const auto second = since(requests, first.at("next"), {.account = "one"}, 3);
  CHECK(second.at("requests").size() == 1);
  CHECK(second["requests"][0].at("number") == 5);
  CHECK(second.at("more") == false);
  CHECK(second.at("isComplete") == true);
}

TEST_CASE("a text is found in targets and bodies, but a secret is not") {
  RecentRequests requests;
  send(requests, {.body = R"({"City": "Cologne"})"});
  send(requests);
  const auto found = [&](const char* text) { return since(requests, 1, {.text = text}).at("requests").size(); };
  CHECK(found("cologne") == 1);
  CHECK(found("orders()") == 2);
  CHECK(found("secret") == 0);
}

TEST_CASE("what is kept are the last requests, and what is missing is told") {
  RecentRequests requests({.bytes = RequestRing::kLeastBytes});
  constexpr std::uint64_t kCount = 5'000;
  for (std::uint64_t i = 0; i < kCount; ++i) send(requests, {.response_body = std::string(1'000, 'x')});
  const auto told = since(requests, 1);
  const std::uint64_t missing = told.at("missing");
  CHECK(told.at("isComplete") == false);
  CHECK(missing > 0);
  CHECK(told.at("requests").size() == kCount - missing);
  CHECK(told.at("requests").size() > 500);
  CHECK(told["requests"].front().at("number") == missing + 1);
  CHECK(since(requests, missing + 1).at("isComplete") == true);
}

TEST_CASE("forgotten requests are missing, also for those who watch from then on") {
  RecentRequests requests;
  const auto others = requests.watch();
  for (int i = 0; i < 3; ++i) send(requests);
  requests.clear();
  send(requests);
  const auto told = since(requests, 1);
  CHECK(told.at("missing") == 3);
  CHECK(told.at("requests").size() == 1);
  const std::string streamed = RequestStream(requests, 1, {}).next();
  CHECK(streamed.find("\"missed\": 3}") != std::string::npos);
  CHECK(streamed.find("\"number\":3") == std::string::npos);
}

TEST_CASE("a number of an earlier run of the server is not complete") {
  RecentRequests requests;
  send(requests);
  CHECK(since(requests, 1'000).at("isComplete") == false);
  CHECK(since(requests, 2).at("isComplete") == true);
}

TEST_CASE("requests of several threads are told in the order of their numbers, and none is lost") {
  RecentRequests requests;
  constexpr std::size_t kThreads = 4, kEach = 500;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (std::size_t n = 0; n < kEach; ++n) send(requests);
      });
    // Whoever asks meanwhile sees all below `next`.
    for (std::uint64_t next = 0; next < kThreads * kEach;) {
      const auto told = since(requests, 1);
      next = told.at("next");
      REQUIRE(told.at("requests").size() == next - 1);
    }
  }
  const auto told = since(requests, 1).at("requests");
  REQUIRE(told.size() == kThreads * kEach);
  for (std::size_t i = 0; i < told.size(); ++i) REQUIRE(told[i].at("number") == i + 1);
}

TEST_CASE("explanations stop when there are many refusals in a second") {
  RecentRequests requests;
  for (int i = 0; i < 3 * RecentRequests::kExplanationsPerSecond; ++i) {
    CAPTURE(i);
    if (i < RecentRequests::kExplanationsPerSecond - 1) REQUIRE(requests.wants_explanation());
    send(requests, {.status = 403});
  }
  // Unless a second ended meanwhile.
  CHECK_FALSE(requests.wants_explanation());
}

TEST_CASE("a stream that is not read holds little") {
  RecentRequests requests;
  RequestStream stream(requests, std::nullopt, kDetailed);
  stream.next();
  for (std::size_t i = 0; i < RequestWindow::kMaxRequests; ++i)
    send(requests, {.response_body = std::string(2'000, 'x')});
  std::size_t events = 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(60));  // then it looks again
  for (std::string part = stream.next(); !part.empty(); part = stream.next()) {
    CHECK(part.size() < 200'000);
    for (std::size_t at = 0; (at = part.find("event: request\n", at)) != part.npos; ++at) ++events;
  }
  CHECK(events == RequestWindow::kMaxRequests);
}

TEST_CASE("a stream begins where it is told, also after a new start of the server") {
  RecentRequests requests;
  send(requests);
  CHECK(RequestStream(requests, 1, {}).next().find("event: request") != std::string::npos);
  RequestStream from_before(requests, 1'000, {});
  CHECK(from_before.next() == "event: start\ndata: {\"next\": 2}\n\n");
  send(requests);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  CHECK(from_before.next().find("event: request") != std::string::npos);
}

TEST_CASE("those who watch share one window, which lives as long as they do") {
  RecentRequests requests;
  auto first = requests.watch();
  CHECK(first == requests.watch());
  const std::weak_ptr<RequestWindow> window = first;
  first.reset();
  CHECK(window.expired());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
