// Resources of roles: which identity may do what with a bearer token.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

Response handle_get_roles(const ControlState& state, const ControlArguments& arguments);
Response handle_put_roles(const ControlState& state, const ControlArguments& arguments);
Response handle_delete_roles(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
