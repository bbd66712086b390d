// Which requests are told, and how a gap shows.
#include "server/monitor/recent_requests.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "server/monitor/request_stream.h"

namespace rocktable::TEST_FILE {
namespace {

using Clock = RecentRequests::Clock;

struct Sent {
  std::string account = "one";
  std::string_view target = "/one/orders()?sig=secret";
};

void send(RecentRequests& requests, const Sent& sent = {}, Clock::time_point now = Clock::now()) {
  static const std::string kBody = "{\"A\": 1}";
  Request request;
  request.headers.add("Host", "127.0.0.1:10002");
  request.headers.add("Authorization", "SharedKey one:secret");
  request.body = &kBody;
  Response response;
  response.add("ETag", "W/\"1\"");
  response.body = std::string(5'000, 'x');
  const StatisticsKey key{"", "orders", "QueryEntities", "point"};
  RequestEvent event;
  event.key = &key;
  event.request = &request;
  event.response = &response;
  event.method = "GET";
  event.target = sent.target;
  event.account = sent.account;
  event.status = 200;
  requests.record(event, now);
}

const WantedRequests kDetailed{.account = "", .details = true};

WantedRequests of_account(const char* name) { return {.account = name, .details = false}; }

template <class... Arguments>
nlohmann::json since(RecentRequests& requests, const Arguments&... arguments) {
  return nlohmann::json::parse(requests.since(arguments...));
}

std::uint64_t begin_of(RecentRequests& requests) { return requests.begin({}); }

TEST_CASE("requests are kept from the first question on") {
  RecentRequests requests;
  send(requests);
  CHECK_FALSE(requests.is_on());
  const auto begin = begin_of(requests);
  CHECK(requests.is_on());
  send(requests);
  send(requests, {.account = "two", .target = "/two/orders()"});
  const auto told = since(requests, begin, WantedRequests());
  CHECK(told.at("isComplete") == true);
  REQUIRE(told.at("requests").size() == 2);
  CHECK(told["requests"][0].at("number") == begin);
  CHECK(since(requests, begin, of_account("two")).at("requests").size() == 1);
  CHECK(since(requests, told.at("next").get<std::uint64_t>(), WantedRequests()).at("requests").empty());
}

TEST_CASE("a refused request is told for the account that it names") {
  RecentRequests requests;
  const auto begin = begin_of(requests);
  send(requests, {.account = "three", .target = "/three/orders()"});
  CHECK(since(requests, begin, of_account("three")).at("requests").size() == 1);
}

TEST_CASE("details are kept if somebody asks for them, without secrets") {
  RecentRequests requests;
  auto begin = begin_of(requests);
  send(requests);
  CHECK_FALSE(since(requests, begin, kDetailed).at("requests")[0].contains("requestBody"));
  send(requests);
  const auto told = since(requests, begin, kDetailed).at("requests")[1];
  CHECK(told.at("requestBody") == "{\"A\": 1}");
  CHECK(told.at("responseHeaders") == nlohmann::json::parse(R"([["ETag", "W/\"1\""]])"));
  CHECK(told.at("responseBody").get<std::string>().size() == KeptRequest::kMaxBody);
  CHECK(told.at("requestHeaders").size() == 2);
  CHECK(told.dump().find("secret") == std::string::npos);
  CHECK(since(requests, begin, WantedRequests()).at("requests")[1].contains("requestBody") == false);
}

TEST_CASE("a gap is told") {
  RecentRequests requests;
  const auto begin = begin_of(requests);
  const auto now = Clock::now();
  SUBCASE("more than are kept") {
    for (std::size_t i = 0; i < RecentRequests::kMaxRequests; ++i) send(requests, {}, now);
    CHECK(since(requests, begin, WantedRequests()).at("isComplete") == true);
    send(requests, {}, now + std::chrono::seconds(1));
    CHECK(since(requests, begin, WantedRequests()).at("requests").size() == RecentRequests::kMaxRequests);
  }
  SUBCASE("more than may come at once") {
    for (std::size_t i = 0; i < RecentRequests::kMaxRequests + 500; ++i) send(requests, {}, now);
    CHECK(since(requests, begin, WantedRequests()).at("requests").size() == RecentRequests::kMaxRequests);
  }
  SUBCASE("nobody asked for a while") {
    const auto later = now + RecentRequests::kIdle + std::chrono::seconds(1);
    send(requests, {}, later);
    CHECK_FALSE(requests.is_on());
    CHECK(since(requests, begin, WantedRequests(), later).at("requests").empty());
  }
  CHECK(since(requests, begin, WantedRequests()).at("isComplete") == false);
}

TEST_CASE("what is kept is bounded in bytes") {
  RecentRequests requests;
  const auto begin = begin_of(requests);
  since(requests, begin, kDetailed);
  const std::string long_one = "/one/orders()?$filter=" + std::string(50'000, 'x');
  for (std::size_t i = 0; i < RecentRequests::kMaxRequests; ++i) send(requests, {.target = long_one});
  const auto told = requests.since(begin, kDetailed);
  CHECK(told.size() < RecentRequests::kMaxBytes);
  const auto document = nlohmann::json::parse(told);
  CHECK(document.at("isComplete") == false);
  CHECK(document.at("requests").size() > 500);
  CHECK(document.at("requests").back().at("number") == document.at("next").get<std::uint64_t>() - 1);
}

TEST_CASE("a stream that is not read holds little") {
  RecentRequests requests;
  RequestStream stream(requests, std::nullopt, kDetailed);
  stream.next();
  for (std::size_t i = 0; i < RecentRequests::kMaxRequests; ++i) send(requests);
  std::size_t events = 0;
  for (std::string part = stream.next(); !part.empty(); part = stream.next()) {
    CHECK(part.size() < 100'000);
    for (std::size_t at = 0; (at = part.find("event: request\n", at)) != part.npos; ++at) ++events;
  }
  CHECK(events > 500);
}

TEST_CASE("a stream has requests as events, and gaps between them") {
  RecentRequests requests;
  RequestStream stream(requests, std::nullopt, {});
  const auto begin = begin_of(requests);
  CHECK(stream.next() == "event: start\ndata: {\"next\": " + std::to_string(begin) + "}\n\n");
  CHECK(stream.next().empty());
  const auto now = Clock::now();
  for (std::size_t i = 0; i < RecentRequests::kMaxRequests + 10; ++i) send(requests, {}, now);
  std::size_t events = 0;
  std::string last;
  for (std::string part = stream.next(); !part.empty(); part = stream.next()) {
    for (std::size_t at = 0; (at = part.find("event: request\n", at)) != part.npos; ++at) ++events;
    last = part;
  }
  CHECK(events == RecentRequests::kMaxRequests);
  CHECK(last.ends_with("event: gap\ndata: {\"missed\": 10}\n\n"));
}

TEST_CASE("a stream begins where it is told, also after a new start of the server") {
  RecentRequests requests;
  const auto begin = begin_of(requests);
  send(requests);
  CHECK(RequestStream(requests, begin, {}).next().find("event: request") != std::string::npos);
  RequestStream from_before(requests, begin + 1'000, {});
  from_before.next();
  send(requests);
  CHECK(from_before.next().find("event: request") != std::string::npos);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
