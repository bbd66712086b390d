// What each operation asks of its caller.
#pragma once

#include <optional>
#include <string_view>

#include "odata/error.h"
#include "server/request/caller.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/target.h"

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

// Refuses every write to the secondary location, which is read-only. Whether a batch is a write shows in its body.
// Errors: InsufficientAccountPermissions.
Result<void> check_location(const Target& target, const Operation& operation);

// Refuses requests by which a web page of any origin could write. CSRF: a `no-cors` POST of fetch skips the preflight, and
// the well-known key would sign it. Errors: AuthorizationFailure.
Result<void> check_fetch_mode(const Request& request);

// Refuses bearer tokens in versions (`yyyy-MM-dd`) of the service that had none. Errors: AuthenticationFailed.
Result<void> check_version(const Caller& caller, std::string_view version);

}  // namespace rocktable
