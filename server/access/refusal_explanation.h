// Explains why access was refused, for developers (--explainAuth). Explanations are computed after the
// refusal, from the request and the error, so that they cost nothing unless requested.
//
// No explanation contains a key or a signature, sent or computed: a client could provoke an explanation to
// obtain one. Each explanation is one line of printable ASCII of bounded length, for any bytes of the client:
// it goes into a header and a log.
#pragma once

#include <string>
#include <string_view>

#include "base/date_time.h"
#include "odata/error.h"
#include "server/access/authenticator.h"
#include "server/access/authorization.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/target.h"

namespace rocktable {

// Explains the refusal `error` of authenticate().
std::string explain_authentication(const Authenticator& authenticator, const Request& request, const Target& target,
                                   bool secure, AccessTimes times, const Error& error);

std::string explain_unknown_account(std::string_view account);

// Explains the refusal `error` of authorize(). `table`: of the operation, also if only its body names it.
std::string explain_authorization(const Caller& caller, const Operation& operation, std::string_view table,
                                  const Error& error);

// Explains that the key of an entity is outside of the key range of the caller's SAS.
std::string explain_key_out_of_range(const Caller& caller, const EntityKey& key);

// Explains refusals that do not depend on the request; empty for all other codes.
std::string explain_code(ErrorCode code);

// Calls authorize(). If it refuses, throws ServiceException, with an explanation if the context requests one.
void require_access(const RequestContext& context, const Operation& operation);

// The same for the roles of the caller, when the body has told the table.
void require_roles(const RequestContext& context, const Operation& operation, std::string_view table);

}  // namespace rocktable
