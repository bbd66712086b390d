// Sockets, as far as Asio does not say it: what has come, without reading it, and who may listen.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace rocktable {

// Peeks at the next byte. Returns nullopt if none has come, or none will.
std::optional<unsigned char> peek_byte(std::uintptr_t socket);

// Whether the other end has closed the connection, or shut down its sending side, even if bytes are still unread.
bool has_peer_hung_up(std::uintptr_t socket);

// Waits for events of poll(2). Returns whether there are any.
bool await_events(std::uintptr_t socket, short events, std::chrono::milliseconds timeout);

// Call this before bind(): a server that has just ended keeps nobody from listening at its address; one that listens
// does. Throws std::system_error.
void claim_address(std::uintptr_t socket);

// Whether only root may listen on a port.
bool is_port_of_root(std::uint16_t port);

}  // namespace rocktable
