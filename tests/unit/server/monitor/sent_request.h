// An event of a request, as the connection makes it.
#pragma once

#include <string>
#include <string_view>

#include "server/events/request_event.h"

namespace rocktable {

struct SentRequest {
  std::string account = "one";
  std::string target = "/one/orders()?sig=secret";
  std::string method = "GET";
  std::string_view operation = "QueryEntities";
  std::string body = R"({"A": 1})";
  std::string response_body = "{}";
  int status = 200;
};

// Calls `use` with the event of a request.
template <class Use>
void with_event(const SentRequest& sent, Use use) {
  struct Field {
    std::string_view name, value;
  };
  constexpr Field kFields[] = {{"Host", "127.0.0.1:10002"},
                               {"Authorization", "SharedKey one:secret"},
                               {"User-Agent", "tester/1"},
                               {"x-ms-client-request-id", "suite/7"}};
  std::string head = sent.method + sent.target;
  for (const auto& [name, value] : kFields) head.append(name).append(": ").append(value).append("\r");
  Request request;
  request.head = head;
  std::string_view rest = head;
  const auto take = [&](std::size_t bytes) {
    const std::string_view out = rest.substr(0, bytes);
    rest.remove_prefix(bytes);
    return out;
  };
  request.method = take(sent.method.size());
  request.target = take(sent.target.size());
  for (const auto& [name, value] : kFields) {
    const std::string_view its_name = take(name.size());
    take(2);
    request.headers.add(its_name, take(value.size()));
    take(1);
  }
  request.body = &sent.body;
  Response response;
  response.add("ETag", "W/\"1\"");
  response.body = sent.response_body;
  const StatisticsKey key{"", "orders", sent.operation, "point"};
  RequestEvent event;
  event.key = &key;
  event.request = &request;
  event.response = &response;
  event.method = request.method;
  event.target = request.target;
  event.account = sent.account;
  event.status = sent.status;
  event.body_bytes = response.body.size();
  event.plan_class = key.plan_class;
  use(event);
}

}  // namespace rocktable
