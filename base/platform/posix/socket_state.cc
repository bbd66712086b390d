#include "base/platform/socket_state.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>

namespace rocktable {

std::optional<unsigned char> peek_byte(std::uintptr_t socket) {
  unsigned char byte = 0;
  const auto count = recv(static_cast<int>(socket), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 1 ? std::optional(byte) : std::nullopt;
}

bool has_peer_hung_up(std::uintptr_t socket) {
  pollfd peer{static_cast<int>(socket), POLLRDHUP, 0};
  return poll(&peer, 1, 0) == 1;  // poll always reports errors and hang-ups; no other events are requested
}

bool await_events(std::uintptr_t socket, short events, std::chrono::milliseconds timeout) {
  pollfd wanted{static_cast<int>(socket), events, 0};
  return poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(timeout.count(), INT_MAX))) != 0;
}

}  // namespace rocktable
