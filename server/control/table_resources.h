// Control resources about accounts and tables: what is there, how large it is, what a query would read.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

Response handle_get_accounts(const ControlState& state, const ControlArguments& arguments);
Response handle_get_tables(const ControlState& state, const ControlArguments& arguments);
Response handle_get_plan(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
