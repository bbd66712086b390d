// Control resources that change the data: resets, snapshots, copies of accounts. Test suites use them to
// return to a known state quickly. Names and parameters are checked here. Unknown parameters are refused: a
// misspelled parameter would reset more than intended.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// All return 400 for an unknown parameter, and 404 for an account that is not served.

Response handle_contents(const ControlState& state, const ControlArguments& arguments);
Response handle_reset(const ControlState& state, const ControlArguments& arguments);

Response handle_list_snapshots(const ControlState& state, const ControlArguments& arguments);
Response handle_get_snapshot(const ControlState& state, const ControlArguments& arguments);
Response handle_take_snapshot(const ControlState& state, const ControlArguments& arguments);
Response handle_delete_snapshot(const ControlState& state, const ControlArguments& arguments);
Response handle_restore_snapshot(const ControlState& state, const ControlArguments& arguments);

Response handle_clone_account(const ControlState& state, const ControlArguments& arguments);
Response handle_delete_account(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
