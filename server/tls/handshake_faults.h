// Lets TLS handshakes fail on purpose, so that tests see what clients make of it.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "server/tls/handshake_fault.h"
#include "server/tls/openssl.h"

namespace rocktable {

class HandshakeFaults {
 public:
  // Asked in each handshake, on any thread. The name is the one that the client wants to reach; empty: it sends none.
  using Decide = std::function<HandshakeFault(std::string_view server_name)>;
  // Makes the wrong certificate of a fault; nullopt: it cannot be made. May throw TlsError.
  using MakeIdentity = std::function<std::optional<Identity>(HandshakeFault fault)>;

  // From now on the handshakes of the context are decided about. It must end before this does.
  HandshakeFaults(boost::asio::ssl::context& context, Decide decide, MakeIdentity make_identity);
  HandshakeFaults(const HandshakeFaults&) = delete;
  HandshakeFaults& operator=(const HandshakeFaults&) = delete;

 private:
  static int on_client_hello(SSL* handshake, int* alert, void* self);
  int apply(SSL* handshake, int* alert);
  boost::asio::ssl::context* context_of(HandshakeFault fault);

  Decide decide_;
  MakeIdentity make_identity_;
  std::mutex mutex_;
  std::map<HandshakeFault, std::optional<boost::asio::ssl::context>> contexts_;  // made when they are needed
};

}  // namespace rocktable
