// The control surface, ours alone: /_rocktable/... No account name can start with an underscore, so it never
// collides. Who may use it is control_access.h's to say, before anything here is called.
//
//   GET    health                  200 once the emulator answers
//   GET    ready                   200 while it serves requests, with the id of the store's contents; 503 once it stops, or
//                                  while the store is not available:
//                                  {"status": "stopping"}, {"status": "unavailable", "error": "why"}
//   GET    stats                   what requests cost since the start (statistics.h)
//
// and what test suites ask for (store_resources.h):
//
//   GET    contents                         how many tables each account has
//   POST   reset[?account=A[&table=T]]      everything, an account, a table
//   GET    snapshots[/NAME]                 their list, or one
//   POST   snapshots/NAME[?replace=true]    take it
//   DELETE snapshots/NAME
//   POST   snapshots/NAME/restore
//   POST   accounts/NAME?from=TEMPLATE      copy an account
//   DELETE accounts/NAME                    the same as its reset
//
// Anything else: 404 or 405. Every refusal is a JSON object with a member "error", a sentence.
#pragma once

#include <string_view>

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

inline constexpr std::string_view kControlPrefix = "/_rocktable/";

struct ControlRequest {
  std::string_view method;
  std::string_view target;  // starts with kControlPrefix
};

// What of a target that starts with kControlPrefix stands behind it, without query.
std::string_view control_resource(std::string_view target);

// Whether the answer may take its time: then it belongs on a thread of its own.
bool control_may_block(const ControlRequest& request);

// Throws what the store throws.
Response control_response(const ControlRequest& request, const ControlState& state);

}  // namespace rocktable
