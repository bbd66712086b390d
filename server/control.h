// The control surface, ours alone: /_rocktable/... No account name can start with an underscore, so it never
// collides. Who may use it is control_access.h's to say, before anything here is called.
#pragma once

#include <string_view>

#include "server/access/control_access.h"
#include "server/response.h"
#include "server/statistics.h"

namespace rocktable {

inline constexpr std::string_view kControlPrefix = "/_rocktable/";

// What of the emulator the control surface shows.
struct ControlState {
  const Statistics& statistics;
  bool stopping;
};

// What of a target that starts with kControlPrefix stands behind it, without query.
std::string_view control_resource(std::string_view target);

//   GET health  200 once the emulator answers
//   GET ready   200 once it serves requests, 503 once it stops
//   GET stats   what requests cost since the start (statistics.h)
//
// Anything else: 404 or 405, a JSON object with a member "error".
Response control_response(std::string_view method, std::string_view resource, const ControlState& state);

// The same form; a 401 says with what scheme to come again.
Response control_refusal(const ControlRefusal& refusal);

}  // namespace rocktable
