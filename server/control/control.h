// The control API under /_rocktable/, an extension of rocktable. No account name starts with an underscore,
// so paths never collide. refuse_control() (control_access.h) decides on access before anything here is
// called.
//
//   GET    health                  200 as soon as the emulator accepts connections
//   GET    ready                   200 while it serves requests, with the id of the store's contents; 503
//                                  during shutdown, or while the store is not available:
//                                  {"status": "stopping"}, {"status": "unavailable", "error": "why"}
//   GET    stats                   the cost of requests since the start (statistics.h)
//   GET    metrics                 counts for Prometheus (request_metrics.h)
//
// Resources for test suites (store_resources.h):
//
//   GET    contents                         the number of tables of each account
//   GET    accounts                         the accounts that are served
//   GET    tables?account=A[&table=T]       the tables of an account with their sizes
//   POST   convert?from=F&to=F              entities of the body in another file format
//   GET    plan?account=A&table=T&filter=F  what a query would read
//   POST   reset[?account=A[&table=T]]      deletes everything, an account or a table
//   GET    snapshots[/NAME]                 lists all, or shows one
//   POST   snapshots/NAME[?replace=true]    takes the snapshot
//   DELETE snapshots/NAME
//   POST   snapshots/NAME/restore            restores it
//   POST   accounts/NAME?from=TEMPLATE      copies an account
//   DELETE accounts/NAME                    same as its reset
//
// Resources that make the emulator behave like the service under stress (stress_resources.h); `?account=A` limits
// each of them to an account:
//
//   GET    clock                    the time of the emulator
//   PUT    clock                    turns it
//   GET    behaviour                simulated behaviour of the service
//   PUT    behaviour                replaces it
//   DELETE behaviour?account=A      the account behaves like all others
//   GET    faults[/NAME]            fault rules and their hits
//   POST   faults                   adds rules
//   PUT    faults/NAME              adds a rule, or replaces it
//   DELETE faults[/NAME]
//   GET    retries                  requests that came again after a fault
//   DELETE retries
//
// Roles of bearer tokens (role_resources.h):
//
//   GET    roles                    identities, roles and assignments
//   PUT    roles                    replaces them
//   DELETE roles                    a token permits everything
//   GET    identities               local identities, and where programs get their tokens
//   POST   accounts/NAME/revoke-user-delegation-keys
//   GET    permissions[?account=A]  what callers needed
//   DELETE permissions[?account=A]
//
//   GET    requests[?since=N]       the last requests (recent_requests.h)
//   DELETE requests                 forgets them
//   GET    requests/stream          those that come, as server-sent events
//
// entities/ACCOUNT/... is the table service itself (server/calls/table_call.h).
//
// Any other request is refused with 404 or 405. Every refusal is a JSON object whose member "error" is a
// sentence.
#pragma once

#include <string_view>

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

inline constexpr std::string_view kControlPrefix = "/_rocktable/";

// Requests to the table service as the account's owner: /_rocktable/entities/ACCOUNT/Tables and so on. The Service
// serves them, not control_response().
inline constexpr std::string_view kOwnersPrefix = "/_rocktable/entities/";

struct ControlRequest {
  std::string_view method;
  std::string_view target;  // starts with kControlPrefix
  std::string_view body;
  const std::atomic<bool>& hung_up;  // becomes true if the client hangs up
};

// The part of `target` after kControlPrefix, without the query. `target` must start with kControlPrefix.
std::string_view control_resource(std::string_view target);

// Returns whether control_response() may block. If so, call it on a thread of the pool, not of the I/O.
bool control_may_block(std::string_view method, std::string_view target);

// Returns whether control_response() changes nothing, so that a client that gets no response may ask again.
bool control_changes_nothing(std::string_view method, std::string_view target);

// Answers the request. Throws the exceptions of Store.
Response control_response(const ControlRequest& request, const ControlState& state);

}  // namespace rocktable
