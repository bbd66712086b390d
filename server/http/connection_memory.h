// The memory of a connection and its current request, charged to the budgets that all connections share. No I/O.
#pragma once

#include <cstddef>

#include "server/limits/client_limits.h"
#include "server/limits/memory_budget.h"

namespace rocktable {

// Separate budgets: anybody can send a large head, but only accepted requests have large bodies.
struct ConnectionBudgets {
  explicit ConnectionBudgets(const ClientLimits& limits);

  MemoryBudget heads;       // for large heads, before the request is accepted
  MemoryBudget bodies;      // for large bodies of accepted requests
  MemoryBudget responses;   // for large responses
  MemoryBudget delayed;     // for large requests and responses that are delayed on purpose
  MemoryBudget handshakes;  // for TLS connections that are not yet secure
  MemoryBudget secured;     // for those that are: it refuses nobody; beyond it, idle ones make way
};

class ConnectionMemory {
 public:
  using Share = MemoryBudget::Share;

  explicit ConnectionMemory(ConnectionBudgets& budgets)
      : head(budgets.heads),
        body(budgets.bodies),
        response(budgets.responses),
        handshake(budgets.handshakes),
        budgets_(budgets),
        delayed_(budgets.delayed),
        secured_(budgets.secured) {}

  // Whether the request holds some.
  bool holds_request() const { return head.is_held() || body.is_held(); }

  // Charges a response. Returns false if there is no memory for it. The response to a change is never refused, because
  // the change has happened; nor is a page that has a share, because it exceeds the share by one entity at most.
  bool hold_response(std::size_t bytes, bool changed_nothing);

  // Moves what a delayed request holds to the budget of delayed ones, so that it does not hold up others. Returns false
  // if there is no room.
  bool hold_apart();

  // After a handshake.
  void hold_secured();

  // After a request.
  void release();

  // Whether others wait for what this one holds.
  bool request_is_short() const;
  bool response_is_short() const;
  bool secured_is_short() const;

  Share head, body, response, handshake;

 private:
  ConnectionBudgets& budgets_;
  Share delayed_, secured_;
};

}  // namespace rocktable
