#include "base/platform/sockets.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

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

void claim_address(std::uintptr_t socket) {
  const int on = 1;
  if (setsockopt(static_cast<int>(socket), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot listen");
}

bool is_port_of_root(std::uint16_t port) {
  constexpr std::uint16_t kFirstOfAll = 1024;
  return port < kFirstOfAll;
}

}  // namespace rocktable
