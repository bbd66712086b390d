// The limits on what clients may use, with their defaults. Each is a flag (server/program/options/server_flags.cc).
#pragma once

#include "server/limits/timeouts.h"

namespace rocktable {

// Connections are kept for longer than the pools of clients look after theirs: libcurl's pool in the C++ library does
// so every 90 s, and a request into a closed connection waits for long.
inline constexpr int kKeepAliveTimeout = 180;

struct ClientLimits {
  // In seconds, see Timeouts.
  int keep_alive_timeout = kKeepAliveTimeout;  // 0: this default, as in Azurite
  int head_timeout = 30;
  int body_timeout = 60;
  int answer_timeout = 60;

  int max_connections = 20'000;  // at most as the limit of open files allows; more wait to be accepted
  int max_request_memory = 64;   // MiB, for large heads and bodies together; further ones wait
  int max_answer_memory = 256;   // MiB, for large responses together; then queries wait
};

inline Timeouts timeouts_of(const ClientLimits& limits) {
  const int keep_alive = limits.keep_alive_timeout == 0 ? kKeepAliveTimeout : limits.keep_alive_timeout;
  return {std::chrono::seconds(keep_alive), std::chrono::seconds(limits.head_timeout),
          std::chrono::seconds(limits.body_timeout), std::chrono::seconds(limits.answer_timeout)};
}

}  // namespace rocktable
