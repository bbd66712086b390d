// POST /$batch: the parts become one entity group transaction (or one query), and its outcome the parts of
// the answer.
#pragma once

#include <string>

#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "storage/table_store.h"

namespace rocktable {

// Throws ServiceException where the batch as a whole is bad, or not a query and sent to the secondary location; what one of
// its operations does wrong is answered within.
Response run_batch(TableStore& store, const RequestContext& context, const Batch& operation,
                   const std::string& body, RequestStats& stats);

}  // namespace rocktable
