// Calls the handler of an operation.
#pragma once

#include <string>

#include "server/access/delegation/delegation_keys.h"
#include "server/handlers/cors.h"
#include "server/limits/memory_budget.h"
#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/request_notes.h"
#include "server/request/response.h"
#include "storage/store.h"

namespace rocktable {

// All that handlers work with. Each takes what it needs.
struct HandlerContext {
  Store& store;
  CorsRules& cors_rules;
  const RequestContext& request;
  const std::string& body;
  RequestStats& stats;
  RequestNotes& notes;
  MemoryBudget::Share& memory;
  const DelegationKeys* delegation_keys;  // null: there are none
};

// Throws ServiceException.
Response dispatch(const Operation& operation, const HandlerContext& context);

}  // namespace rocktable
