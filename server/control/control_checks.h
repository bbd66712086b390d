// Checks that all control resources share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// Returns nullopt if all parameters are among `known`, appear once and have a value.
std::optional<Response> refuse_parameters(const QueryParameters& query, std::initializer_list<std::string_view> known);

// 404 with the reason why the account is not served.
Response unknown_account(std::string_view account);

// Calls `answer` with the account of ?account=, or nullopt. Refuses unknown parameters and accounts that are not
// served.
template <class Answer>
Response for_account(const ControlState& state, const ControlArguments& arguments, const Answer& answer) {
  if (auto refusal = refuse_parameters(arguments.query, {"account"})) return std::move(*refusal);
  const auto account = arguments.query.get("account");
  if (account && !state.serves_account(*account)) return unknown_account(*account);
  return answer(account ? std::optional<std::string>(*account) : std::nullopt);
}

}  // namespace rocktable
