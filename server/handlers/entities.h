// Operations on entities. Each calls the store once and renders the response. Refusals are thrown as ServiceException.
// Reads are added to `stats`.
#pragma once

#include <string>

#include "server/limits/memory_budget.h"
#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/request_notes.h"
#include "server/request/response.h"
#include "storage/store.h"

namespace rocktable {

// A write operation with its body, checked and ready to commit, alone or in an entity group transaction.
struct AddressedMutation {
  std::string table;
  std::string partition_key;
  Mutation write;
};

// Leave `operation` as it was if they throw ServiceException.
AddressedMutation to_mutation(InsertEntity&& operation, std::string_view body);
AddressedMutation to_mutation(WriteEntity&& operation, std::string_view body);

// The same, but throw TableNotFound for a body that is refused if its table is missing.
AddressedMutation to_mutation(const Store& store, const RequestContext& context, InsertEntity operation,
                              std::string_view body);
AddressedMutation to_mutation(const Store& store, const RequestContext& context, WriteEntity operation,
                              std::string_view body);

// Throws ServiceException: AuthorizationFailure, if the caller's signature does not grant this entity.
void require_entity_access(const RequestContext& context, const AddressedMutation& write);

// Appends the URL of an entity up to its row key, which end_key_predicate() appends:
// `<base>/mytable(PartitionKey='p',RowKey=`.
void begin_entity_location(std::string& out, const RequestContext& context, std::string_view table,
                           std::string_view partition_key);
// Appends the body that echoes an inserted entity.
void append_inserted_entity(std::string& out, const PayloadFormat& format, std::string_view partition_key,
                            const Mutation& inserted, DateTime timestamp);

Response insert_entity(Store& store, const RequestContext& context, const InsertEntity& operation,
                       const std::string& body, RequestStats& stats, RequestNotes& notes);
Response write_entity(Store& store, const RequestContext& context, const WriteEntity& operation,
                      const std::string& body, RequestStats& stats, RequestNotes& notes);
// Refuses a write to `/mytable/x('y')`: TableNotFound, or InvalidInput for the number of keys.
[[noreturn]] void refuse_write_behind(const Store& store, const RequestContext& context, std::string_view table);
Response get_entity(const Store& store, const RequestContext& context, const GetEntity& operation, RequestStats& stats);
// A page grows within `memory`, which is charged for the whole body at the end.
Response query_entities(const Store& store, const RequestContext& context, const QueryEntities& query,
                        RequestStats& stats, RequestNotes& notes, MemoryBudget::Share& memory);

}  // namespace rocktable
