// Resources of the control API for the insight into requests (docs/insight.md), and for the last requests.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

Response handle_get_queries(const ControlState& state, const ControlArguments& arguments);
Response handle_reset_queries(const ControlState& state, const ControlArguments& arguments);
Response handle_get_requests(const ControlState& state, const ControlArguments& arguments);
Response handle_forget_requests(const ControlState& state, const ControlArguments& arguments);
Response handle_stream_requests(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
