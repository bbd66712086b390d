// How long a connection waits for its client.
#pragma once

#include <chrono>

namespace rocktable {

// Where the memory that all connections share runs short, ten seconds must do for a large request or answer, and one
// without a byte of it is too long.
struct Timeouts {
  std::chrono::seconds keep_alive{60};  // for the next request to begin
  std::chrono::seconds head{30};        // for the rest of its line and headers
  std::chrono::seconds body{60};
  std::chrono::seconds answer{60};  // for the client to take it
};

}  // namespace rocktable
