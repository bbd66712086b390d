// The control surface, ours alone: /_rocktable/... No account name can start with an underscore, so it never
// collides.
#pragma once

#include <string_view>

#include "server/response.h"
#include "server/statistics.h"

namespace rocktable {

inline constexpr std::string_view kControlPrefix = "/_rocktable/";

// `path` starts with kControlPrefix.
//
//   GET health  200 once the emulator answers
//   GET stats   what requests cost since the start (statistics.h)
//
// Anything else: 404 or 405, a JSON object with a member "error".
Response control_response(std::string_view method, std::string_view path, const Statistics& statistics);

}  // namespace rocktable
