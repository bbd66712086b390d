// Passes the bytes of a port on to another emulator, and back: so that one address has blobs, queues and tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/http_url.h"
#include "server/http/acceptors.h"

namespace rocktable {

// Connections are passed on as they are, whatever their protocol. Each has two buffers of 64 KiB; it reads from one
// side only while the other one takes the bytes. A side that ends its sending ends only this direction; the other
// direction then ends after a minute without a byte. At most 256 connections are passed on; further ones wait.
//
// While the upstream cannot be reached, each connection gets 503 with a sentence (over HTTP), and the first one is told
// on standard error, as is the end of that time.
class Relay {
 public:
  // Listens, and serves in a thread of its own. Does not need the upstream yet. Throws ServerError.
  Relay(const ListenAddress& where, const HttpUrl& upstream);
  // Ends all connections.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // The first address that it listens on, as in URLs, and the port.
  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::string address_;
  std::uint16_t port_;
};

}  // namespace rocktable
