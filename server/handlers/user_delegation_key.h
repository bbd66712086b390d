// Issues user delegation keys.
// Source: learn.microsoft.com/rest/api/storageservices/get-user-delegation-key
#pragma once

#include <string>

#include "server/access/delegation/delegation_keys.h"
#include "server/request/request_context.h"
#include "server/request/response.h"

namespace rocktable {

// Answers with a key for the caller, who must have a bearer token. `keys` null: there are none. A value in the document
// that is refused has a response of its own, which names the value.
//
// Throws ServiceException: AuthenticationFailed (no keys; the token has no oid or no tid), InvalidQueryParameterValue (an
// older version), InvalidXmlDocument.
Response get_user_delegation_key(const DelegationKeys* keys, const RequestContext& context, const std::string& body);

}  // namespace rocktable
