// POST /$batch: turns the parts into one entity group transaction, or one query, and its result into the parts of the
// response.
#pragma once

#include <string>

#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "storage/table_store.h"

namespace rocktable {

// Throws ServiceException if the batch as a whole is invalid, or if it is a change set for the secondary location. An
// invalid operation is reported in a part of the response.
Response run_batch(TableStore& store, const RequestContext& context, const Batch& operation,
                   const std::string& body, RequestStats& stats);

}  // namespace rocktable
