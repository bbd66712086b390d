// What each operation asks of its caller.
#pragma once

#include <optional>

#include "odata/error.h"
#include "server/request/caller.h"
#include "server/request/operation.h"

namespace rocktable {

// What an operation asks of its caller; a batch by itself nothing, for each of its operations is asked on its
// own.
std::optional<RequiredAccess> required_access(const Operation& operation);

// Whether the caller may do this at all. Keys in a request's body are checked where the body is read.
//
// Errors: those of authorize() in caller.h (no signature grants an ACL), AuthorizationFailure (a table that the SAS
// does not name, a write to a key out of reach), ResourceNotFound (reading a key out of reach; access policies
// for a bearer token).
Result<void> authorize(const Caller& caller, const Operation& operation);

}  // namespace rocktable
