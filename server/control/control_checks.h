// Checks that all control resources share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// Returns nullopt if all parameters are among `known`, appear once and have a value.
std::optional<Response> refuse_parameters(const QueryParameters& query,
                                          std::initializer_list<std::string_view> known);

// 404 with the reason why the account is not served.
Response unknown_account(std::string_view account);

}  // namespace rocktable
