#include "server/control/insight_resources.h"

#include <charconv>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/control/control_checks.h"
#include "server/control/control_response.h"
#include "server/monitor/request_stream.h"

namespace rocktable {

using std::literals::operator""sv;

namespace {

// The parameters of both resources of requests.
struct RequestsQuestion {
  std::optional<std::uint64_t> first;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  WantedRequests wanted;
};

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

Response requests_are_off() {
  return control_error(404, "This server keeps no requests: it was started with --keepRequests 0.");
}

std::optional<Response> read_question(const ControlState& state, const QueryParameters& query,
                                      std::initializer_list<std::string_view> parameters, RequestsQuestion& out) {
  if (auto refusal = refuse_parameters(query, parameters)) return refusal;
  if (!state.recent_requests.is_on()) return requests_are_off();
  const auto account = query.get("account"), detail = query.get("detail"), since = query.get("since");
  if (account && !state.serves_account(*account)) return unknown_account(*account);
  if (detail && *detail != "true" && *detail != "false")
    return control_error(400, "The parameter detail must be true or false.");
  out.wanted = {std::string(account.value_or("")), detail == "true", std::string(query.get("text").value_or(""))};
  if (since) {
    out.first = read_number(*since);
    if (!out.first) return control_error(400, "The parameter since must be a number: `next` of an earlier answer.");
  }
  if (const auto limit = query.get("limit")) {
    const auto number = read_number(*limit);
    if (!number || *number == 0) return control_error(400, "The parameter limit must be a number from 1 on.");
    out.limit = *number;
  }
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
  const auto parameters = {"account"sv, "detail"sv, "limit"sv, "since"sv, "text"sv};
  if (auto refusal = read_question(state, arguments.query, parameters, question)) return std::move(*refusal);
  return control_json_text(200, state.recent_requests.since(question.first, question.wanted, question.limit));
}

Response handle_forget_requests(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  if (!state.recent_requests.is_on()) return requests_are_off();
  state.recent_requests.clear();
  return control_done();
}

Response handle_stream_requests(const ControlState& state, const ControlArguments& arguments) {
  RequestsQuestion question;
  const auto parameters = {"account"sv, "detail"sv, "since"sv};
  if (auto refusal = read_question(state, arguments.query, parameters, question)) return std::move(*refusal);
  Response out;
  out.add("Content-Type", "text/event-stream");
  out.add("Cache-Control", "no-store");
  out.framing = Response::Framing::Chunked;
  out.stream = std::make_unique<RequestStream>(state.recent_requests, question.first, question.wanted);
  return out;
}

}  // namespace rocktable
