#include "client/transfer/contents_id.h"

#include <nlohmann/json.hpp>

#include "client/table_error.h"

namespace rocktable {
namespace {

constexpr int kOk = 200, kBusy = 503;
constexpr std::size_t kMaxLength = 128;

// Unsigned and without the account's path, so that it is safe to send to any server. Other responses mean: no
// id.
TableResult<std::string> ask(HttpClient& client) {
  HttpRequest request;
  request.target = "/_rocktable/ready";
  const HttpResponse answer = client.send(request);
  if (answer.status == kBusy) return TableError{answer.status, "", "the server is busy"};
  if (answer.status != kOk) return std::string();
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  if (!json.is_object() || !json.contains("store") || !json["store"].is_string()) return std::string();
  return json["store"].get<std::string>().substr(0, kMaxLength);
}

}  // namespace

std::string contents_id_of(const TableEndpoint& endpoint, const HttpOptions& options, const Pause& pause) {
  HttpClient client(endpoint.url, options);
  const auto answer = with_retries(RetryPolicy{}, pause, [&](int) { return ask(client); });
  return answer ? *answer : std::string();
}

}  // namespace rocktable
