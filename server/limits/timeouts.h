// How long a connection waits for its client at each stage of a request. Defaults: client_limits.h.
#pragma once

#include <chrono>

namespace rocktable {

// If the shared memory budget runs short, a large request or response gets ten seconds, and at most one
// second without progress.
struct Timeouts {
  std::chrono::seconds keep_alive;  // until the next request starts
  std::chrono::seconds head;        // for the rest of the request line and headers
  std::chrono::seconds body;
  std::chrono::seconds answer;  // for the client to receive the response
};

}  // namespace rocktable
