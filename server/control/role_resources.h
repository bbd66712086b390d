// Resources of roles (which identity may do what with a bearer token), and of keys that were issued to identities.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

Response handle_get_roles(const ControlState& state, const ControlArguments& arguments);
Response handle_put_roles(const ControlState& state, const ControlArguments& arguments);
Response handle_revoke_user_delegation_keys(const ControlState& state, const ControlArguments& arguments);
Response handle_get_permissions(const ControlState& state, const ControlArguments& arguments);
Response handle_forget_permissions(const ControlState& state, const ControlArguments& arguments);
Response handle_get_identities(const ControlState& state, const ControlArguments& arguments);
Response handle_delete_roles(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
