// The blob and the queue service of an account that has neither containers nor queues, for tools that look whether all
// three services are there (--compat azurite). Nothing can be made in them.
#pragma once

#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "server/request/target.h"

namespace rocktable {

//   GET ?restype=service&comp=properties   those of a new account
//   GET ?restype=service&comp=stats        of the secondary location
//   GET ?restype=account&comp=properties   of the blob service: what kind of account it is
//   GET ?comp=list                         no containers, no queues
//   GET, HEAD, DELETE /NAME...             404: ContainerNotFound, QueueNotFound
//
// All else is refused with NotImplemented. `context` knows the caller. Throws ServiceException: NotImplemented,
// ContainerNotFound, QueueNotFound, InvalidQueryParameterValue, OutOfRangeQueryParameterValue, and what authorize()
// refuses.
Response blob_and_queue_response(const Request& request, const QueryParameters& query,
                                 const RequestContext& context);

}  // namespace rocktable
