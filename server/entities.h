// Operations on entities: each asks the store once and renders. Refusals are thrown as
// ServiceException. What was read is added to `stats`.
#pragma once

#include <string>

#include "server/exchange.h"
#include "server/memory_budget.h"
#include "server/operation.h"
#include "server/response.h"
#include "storage/table_store.h"

namespace rocktable {

// A write operation and its body, checked and ready to commit: alone, or in an entity group transaction.
struct EntityWrite {
  std::string table;
  std::string partition_key;
  Write write;
};

EntityWrite to_entity_write(InsertEntity operation, std::string_view body);
EntityWrite to_entity_write(WriteEntity operation, std::string_view body);

// Throws ServiceException: AuthorizationFailure where the caller's signature does not reach this entity.
void require_reach(const Exchange& exchange, const EntityWrite& write);

// `<base>/mytable(PartitionKey='p',RowKey='r')`.
std::string entity_location(const Exchange& exchange, const EntityWrite& inserted);
// The body that echoes an inserted entity.
std::string inserted_entity_body(const PayloadFormat& format, const EntityWrite& inserted,
                                 DateTime timestamp);

Response insert_entity(TableStore& store, const Exchange& exchange, const InsertEntity& operation,
                       const std::string& body, RequestStats& stats);
Response write_entity(TableStore& store, const Exchange& exchange, const WriteEntity& operation,
                      const std::string& body, RequestStats& stats);
Response get_entity(const TableStore& store, const Exchange& exchange, const GetEntity& operation,
                    RequestStats& stats);
// A page grows within `memory`; what that holds at its end covers the answer's body.
Response query_entities(const TableStore& store, const Exchange& exchange, const QueryEntities& query,
                        RequestStats& stats, MemoryBudget::Share& memory);

}  // namespace rocktable
