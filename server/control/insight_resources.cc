#include "server/control/insight_resources.h"

#include <nlohmann/json.hpp>

#include "server/control/control_checks.h"
#include "server/control/control_response.h"

namespace rocktable {

Response handle_get_queries(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return control_json(200, state.insight.to_json(account.value_or("")));
  });
}

Response handle_reset_queries(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    state.insight.clear(account.value_or(""));
    return control_done();
  });
}

}  // namespace rocktable
