// Resources of the control API for the insight into requests (docs/insight.md).
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

Response handle_get_queries(const ControlState& state, const ControlArguments& arguments);
Response handle_reset_queries(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
