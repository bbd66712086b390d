// Control resources that make the emulator behave like the service under stress: its clock, simulated behaviour, fault
// rules, and the retries that followed.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// All return 400 for an unknown parameter or an invalid document, and 404 for an account that is not served.

// {"now": "...", "offset": "2h"} or {"now": "...", "frozen": true}
Response handle_get_clock(const ControlState& state, const ControlArguments& arguments);
// {"offset": "-15m"}, {"frozen": "2026-01-01T00:00:00Z"}, {"frozen": true}, {"step": "+2h"} from now on, or {}: the
// wall clock. With "lenient": true, signatures by account keys may have the time of the wall clock, too.
Response handle_put_clock(const ControlState& state, const ControlArguments& arguments);

// The document of Behaviours::to_json().
Response handle_get_behaviour(const ControlState& state, const ControlArguments& arguments);
// The document of read_behaviour(), or {"behaviour": "throttle=500"} as on the command line.
Response handle_put_behaviour(const ControlState& state, const ControlArguments& arguments);
Response handle_delete_behaviour(const ControlState& state, const ControlArguments& arguments);

// The documents of FaultPlan::to_json() and parse_fault_rules().
Response handle_list_faults(const ControlState& state, const ControlArguments& arguments);
Response handle_get_fault(const ControlState& state, const ControlArguments& arguments);
Response handle_add_faults(const ControlState& state, const ControlArguments& arguments);
// Adds the rule, or replaces that of its name.
Response handle_put_fault(const ControlState& state, const ControlArguments& arguments);
Response handle_delete_fault(const ControlState& state, const ControlArguments& arguments);
// {"removed": 2}. With an account: the rules that name it.
Response handle_clear_faults(const ControlState& state, const ControlArguments& arguments);

// The document of RetryLog::to_json().
Response handle_get_retries(const ControlState& state, const ControlArguments& arguments);
Response handle_clear_retries(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
