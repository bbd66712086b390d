// How long a connection waits for its client.
#pragma once

#include <chrono>

namespace rocktable {

// Where the memory that all connections share runs short, two seconds must do for a large request or answer.
struct Timeouts {
  std::chrono::seconds keep_alive{60};  // for the next request to begin
  std::chrono::seconds head{30};        // for the rest of its line and headers
  std::chrono::seconds body{60};
  std::chrono::seconds answer{60};  // for the client to take it
};

}  // namespace rocktable
