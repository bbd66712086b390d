// Operations on tables. Each calls the store once and renders the response. Refusals are thrown as ServiceException.
#pragma once

#include <string>

#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/request_notes.h"
#include "server/request/response.h"
#include "storage/store.h"

namespace rocktable {

Response create_table(Store& store, const RequestContext& context, const std::string& body, RequestNotes& notes);
Response query_tables(const Store& store, const RequestContext& context, const QueryTables& query);
Response get_table(const Store& store, const RequestContext& context, const GetTable& operation);
Response delete_table(Store& store, const RequestContext& context, const DeleteTable& operation);

}  // namespace rocktable
