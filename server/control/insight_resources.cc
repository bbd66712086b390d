#include "server/control/insight_resources.h"

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/control/control_checks.h"
#include "server/control/control_response.h"
#include "server/monitor/request_stream.h"

namespace rocktable {
namespace {

// The parameters of both resources of requests.
struct RequestsQuestion {
  std::optional<std::uint64_t> first;
  WantedRequests wanted;
};

std::optional<Response> read_question(const ControlState& state, const QueryParameters& query, RequestsQuestion& out) {
  if (auto refusal = refuse_parameters(query, {"account", "detail", "since"})) return refusal;
  const auto account = query.get("account"), detail = query.get("detail"), since = query.get("since");
  if (account && !state.serves_account(*account)) return unknown_account(*account);
  if (detail && *detail != "true" && *detail != "false")
    return control_error(400, "The parameter detail must be true or false.");
  out.wanted = {std::string(account.value_or("")), detail == "true"};
  if (!since) return std::nullopt;
  std::uint64_t number = 0;
  const char* const last = since->data() + since->size();
  const auto [end, error] = std::from_chars(since->data(), last, number);
  if (error != std::errc() || end != last)
    return control_error(400, "The parameter since must be a number: `next` of an earlier answer.");
  out.first = number;
  return std::nullopt;
}

}  // namespace

Response handle_get_queries(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return control_json_text(200, state.insight.to_json(account.value_or(""), state.time.now()));
  });
}

Response handle_reset_queries(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    state.insight.clear(account.value_or(""));
    return control_done();
  });
}

Response handle_get_requests(const ControlState& state, const ControlArguments& arguments) {
  RequestsQuestion question;
  if (auto refusal = read_question(state, arguments.query, question)) return std::move(*refusal);
  return control_json_text(200, state.recent_requests.since(question.first, question.wanted));
}

Response handle_stream_requests(const ControlState& state, const ControlArguments& arguments) {
  RequestsQuestion question;
  if (auto refusal = read_question(state, arguments.query, question)) return std::move(*refusal);
  Response out;
  out.add("Content-Type", "text/event-stream");
  out.add("Cache-Control", "no-store");
  out.framing = Response::Framing::Chunked;
  out.stream = std::make_unique<RequestStream>(state.recent_requests, question.first, question.wanted);
  return out;
}

}  // namespace rocktable
