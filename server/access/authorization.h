// The access that each operation requires of its caller.
#pragma once

#include <optional>
#include <string_view>

#include "odata/error.h"
#include "server/request/caller.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/target.h"

namespace rocktable {

// The access that an operation requires. nullopt for a batch: each of its operations is authorized
// separately.
std::optional<RequiredAccess> required_access(const Operation& operation);

// Checks whether the caller may run the operation in this version (`yyyy-MM-dd`) of the service. Keys and tables in a
// request body are checked by the code that reads the body.
//
// Errors: those of authorize() in caller.h (no SAS grants access policies), AuthorizationPermissionMismatch (also: the
// roles do not permit it), AuthorizationFailure (a table other than that of the SAS, a write to a key outside of its
// range), AuthenticationFailed (a user delegation key without a bearer token), ResourceNotFound (a read of a key outside of its range; access policies with a bearer token in old versions).
Result<void> authorize(const Caller& caller, const Operation& operation, std::string_view version);

// Whether the caller's roles permit the operation on a table; an empty table as in Grants::permit(). True if roles do
// not matter for the caller.
bool roles_permit(const Caller& caller, const Operation& operation, std::string_view table);

// Whether a bearer token gives no access to this operation in this version of the service.
bool is_hidden_from_tokens(const Operation& operation, std::string_view version);

// Refuses every write to the secondary location, which is read-only. Whether a batch is a write shows in its
// body. Errors: InsufficientAccountPermissions.
Result<void> check_location(const Target& target, const Operation& operation);

// Refuses bearer tokens in versions (`yyyy-MM-dd`) of the service that had none. Errors:
// AuthenticationFailed.
Result<void> check_version(const Caller& caller, std::string_view version);

}  // namespace rocktable
