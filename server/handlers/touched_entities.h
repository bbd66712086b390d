// The table and the entities that a request names.
#pragma once

#include <string>

#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/request_facts.h"

namespace rocktable {

// Reads the body, too. What cannot be read is left out: the operation itself will refuse it. The views in the result
// are those of constants and of the context. `account`, `method` and `client_request_id` are left empty.
RequestFacts facts_of(const RequestContext& context, const Operation& operation, const std::string& body);

}  // namespace rocktable
