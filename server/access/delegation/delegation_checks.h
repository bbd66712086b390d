// The checks of a user delegation SAS. Each returns nothing or a refusal, whose code is for the response and whose
// message is for people who debug.
// Source: learn.microsoft.com/rest/api/storageservices/create-user-delegation-sas
#pragma once

#include <functional>
#include <optional>

#include "odata/error.h"
#include "odata/protocol/bearer_token.h"
#include "odata/protocol/sas.h"
#include "server/access/delegation/delegation_keys.h"

namespace rocktable {

// Whether all fields are there that a user delegation SAS needs, and none that it may not have. Errors:
// AuthenticationFailed.
Result<void> check_delegation_form(const SasParameters& sas);

// The key that the SAS names. nullopt if it cannot be one of ours: an invalid time, or ids that no key has.
std::optional<DelegationKey> delegation_key_of(const SasParameters& sas);

// Whether the SAS is signed with its key. `keys` null: there are none. Errors: AuthenticationFailed; the message is empty
// if only the signature is wrong.
Result<void> check_delegation_signature(const SasParameters& sas, std::string_view account, const DelegationKeys* keys);

// Whether the key is in its interval. Errors: AuthenticationFailed.
Result<void> check_key_interval(const SasParameters& sas, DateTime now);

// Whether the request comes from the only user of the SAS. `token`: the checked bearer token of the request, nullopt if it
// has none. Errors: NoAuthenticationInformation (no token), AuthenticationFailed (another user), those of `token`.
Result<void> check_only_user(const SasParameters& sas, const std::optional<Result<BearerClaims>>& token);

}  // namespace rocktable
