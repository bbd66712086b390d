// Operations on tables: each asks the store once and renders. Refusals are thrown as ServiceException.
#pragma once

#include <string>

#include "server/exchange.h"
#include "server/operation.h"
#include "server/response.h"
#include "storage/table_store.h"

namespace rocktable {

Response create_table(TableStore& store, const Exchange& exchange, const std::string& body);
Response query_tables(const TableStore& store, const Exchange& exchange, const QueryTables& query);
Response get_table(const TableStore& store, const Exchange& exchange, const GetTable& operation);
Response delete_table(TableStore& store, const Exchange& exchange, const DeleteTable& operation);

}  // namespace rocktable
