// The blob and the queue service of an account without containers and queues, for tools that check that all three
// services run (--compat azurite). Nothing can be created in them.
#pragma once

#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "server/request/target.h"

namespace rocktable {

//   GET ?restype=service&comp=properties   the properties of a new account
//   GET ?restype=service&comp=stats        only at the secondary location
//   GET ?restype=account&comp=properties   only of the blob service: the kind of the account
//   GET ?comp=list                         no containers, no queues
//   GET, HEAD, DELETE /NAME...             404: ContainerNotFound, QueueNotFound
//
// Everything else is NotImplemented. `context` has the caller. Throws ServiceException: NotImplemented,
// ContainerNotFound, QueueNotFound, InvalidQueryParameterValue, OutOfRangeQueryParameterValue, and what authorize()
// refuses.
Response blob_and_queue_response(const Request& request, const QueryParameters& query, const RequestContext& context);

}  // namespace rocktable
