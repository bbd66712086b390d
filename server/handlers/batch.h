// POST /$batch: turns the parts into one entity group transaction, or one query, and its result into the parts of the
// response.
#pragma once

#include <string>

#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/request_facts.h"
#include "server/request/request_notes.h"
#include "server/request/response.h"
#include "storage/store.h"

namespace rocktable {

// Throws ServiceException if the batch as a whole is invalid, or if it is a change set for the secondary location. An
// invalid operation is reported in a part of the response.
Response run_batch(Store& store, const RequestContext& context, const Batch& operation, const std::string& body,
                   RequestStats& stats, RequestNotes& notes);

// The response to a change set of which the operation at `position` failed with `error`.
Response failed_batch(const RequestContext& context, const Batch& operation, const std::string& body,
                      std::size_t position, const Error& error);

// Adds the entities that the parts name, and their table. Throws ServiceException at the first part that cannot be
// read.
void add_batch_entities(RequestFacts& facts, const RequestContext& context, const Batch& operation,
                        const std::string& body);

}  // namespace rocktable
