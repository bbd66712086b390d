// What the control surface does to the data: resets, snapshots, copies of accounts. For test suites, which want the same
// again and quickly. Names and parameters are checked here, and nothing that was not understood is ignored: a parameter
// with a slip in its name would reset more than was meant.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// All of them: 400 for a parameter that they do not know, 404 for an account that is not served.

Response answer_contents(const ControlState& state, const ControlArguments& arguments);
Response answer_reset(const ControlState& state, const ControlArguments& arguments);

Response answer_list_of_snapshots(const ControlState& state, const ControlArguments& arguments);
Response answer_snapshot(const ControlState& state, const ControlArguments& arguments);
Response answer_take_snapshot(const ControlState& state, const ControlArguments& arguments);
Response answer_delete_snapshot(const ControlState& state, const ControlArguments& arguments);
Response answer_restore_snapshot(const ControlState& state, const ControlArguments& arguments);

Response answer_clone_account(const ControlState& state, const ControlArguments& arguments);
Response answer_delete_account(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
