// The limits on what clients may use, with their defaults. Each has a flag (server/program/server_flags.cc).
#pragma once

#include <chrono>

namespace rocktable {

struct ClientLimits {
  // How long a connection waits for its client, in seconds. If the shared memory runs short, a large request
  // or response gets ten seconds, and at most one second without progress.
  int keep_alive_timeout = 60;  // until the next request starts
  int head_timeout = 30;        // for the rest of the request line and headers
  int body_timeout = 60;
  int answer_timeout = 60;  // for the client to receive the response

  int max_connections = 20'000;  // at most as the limit of open files allows; more wait to be accepted
  int max_request_memory = 64;   // MiB, for large heads and bodies together; further ones wait
  int max_answer_memory = 256;   // MiB, for large responses together; then queries wait
};

}  // namespace rocktable
