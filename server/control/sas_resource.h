// Shared access signatures, made by the server because only it knows the keys.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// Makes a signature of a table or an account, or one by a user delegation key whose owner the request names. Changes
// nothing.
Response handle_make_sas(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
