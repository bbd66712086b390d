#include "base/platform/sockets.h"

#include <algorithm>
#include <climits>
#include <system_error>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

// Sockets may block, so that only what has come is peeked at.
SHORT poll_now(SOCKET socket) {
  WSAPOLLFD peer{socket, POLLRDNORM, 0};
  return WSAPoll(&peer, 1, 0) == 1 ? peer.revents : SHORT{0};
}

// Returns the result of recv(): 0 at the end.
int peek(SOCKET socket, char& byte) { return recv(socket, &byte, 1, MSG_PEEK); }

}  // namespace

std::optional<unsigned char> peek_byte(std::uintptr_t socket) {
  char byte = 0;
  if ((poll_now(socket) & POLLRDNORM) == 0 || peek(socket, byte) != 1) return std::nullopt;
  return static_cast<unsigned char>(byte);
}

// POLLHUP: the other end has shut down its sending side, even if bytes are unread.
bool has_peer_hung_up(std::uintptr_t socket) {
  const SHORT events = poll_now(socket);
  if ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0) return true;
  char byte = 0;
  return (events & POLLRDNORM) != 0 && peek(socket, byte) <= 0;
}

bool await_events(std::uintptr_t socket, short events, std::chrono::milliseconds timeout) {
  WSAPOLLFD wanted{socket, events, 0};
  return WSAPoll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(timeout.count(), INT_MAX))) != 0;
}

// SO_REUSEADDR would let two servers listen at one address here.
void claim_address(std::uintptr_t socket) {
  const BOOL on = TRUE;
  if (setsockopt(socket, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, reinterpret_cast<const char*>(&on), sizeof on) != 0)
    throw std::system_error(WSAGetLastError(), std::system_category(), "cannot listen");
}

bool is_port_of_root(std::uint16_t /*port*/) { return false; }

}  // namespace rocktable
