// Why access was refused, in sentences for whoever looks for the mistake (--explainAuth). All of it is found out
// afterwards, from the request and its refusal: who does not ask pays nothing.
//
// No explanation holds a key or a signature, sent or computed: whoever could provoke one could use it. All are one
// line of printable ASCII and of bounded length, whatever bytes the client sent: they go into a header and a log.
#pragma once

#include <string>
#include <string_view>

#include "odata/date_time.h"
#include "odata/error.h"
#include "server/access/authenticator.h"
#include "server/access/authorization.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/target.h"

namespace rocktable {

// Why authenticate() refused with `error`.
std::string explain_authentication(const Authenticator& authenticator, const Request& request,
                                   const Target& target, bool secure, DateTime now, const Error& error);

std::string explain_unknown_account(std::string_view account);

// `error` is what authorize() answered.
std::string explain_authorization(const Caller& caller, const Operation& operation, const Error& error);

// The key of a request's body is not in the caller's reach.
std::string explain_reach(const Caller& caller, const EntityKey& key);

// Refusals that need no look at the request; empty for all others.
std::string explain_code(ErrorCode code);

// authorize(). Throws ServiceException, with an explanation if the context asks for it.
void require_access(const RequestContext& context, const Operation& operation);

}  // namespace rocktable
