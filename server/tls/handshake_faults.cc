#include "server/tls/handshake_faults.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "server/tls/tls.h"

namespace rocktable {
namespace {

namespace ssl = boost::asio::ssl;

// The extension has a list of names, each behind its kind and its length; all clients send one host name.
// Source: RFC 6066, section 3
std::string_view server_name_of(SSL* handshake) {
  constexpr std::size_t kPrefix = 5;  // the length of the list, the kind, the length of the name
  const unsigned char* bytes = nullptr;
  std::size_t length = 0;
  if (SSL_client_hello_get0_ext(handshake, TLSEXT_TYPE_server_name, &bytes, &length) != 1 || length < kPrefix)
    return {};
  const std::size_t size = (static_cast<std::size_t>(bytes[3]) << 8) | bytes[4];
  if (bytes[2] != TLSEXT_NAMETYPE_host_name || size > length - kPrefix) return {};
  return {reinterpret_cast<const char*>(bytes) + kPrefix, size};
}

}  // namespace

HandshakeFaults::HandshakeFaults(ssl::context& context, Decide decide, MakeIdentity make_identity)
    : decide_(std::move(decide)), make_identity_(std::move(make_identity)) {
  SSL_CTX_set_client_hello_cb(context.native_handle(), on_client_hello, this);
}

// OpenSSL is C: no exception may pass through it.
int HandshakeFaults::on_client_hello(SSL* handshake, int* alert, void* self) {
  try {
    return static_cast<HandshakeFaults*>(self)->apply(handshake, alert);
  } catch (const std::exception& failure) {
    spdlog::error("a TLS handshake cannot fail as a fault rule says: {}", failure.what());
    *alert = SSL_AD_INTERNAL_ERROR;
    return SSL_CLIENT_HELLO_ERROR;
  }
}

int HandshakeFaults::apply(SSL* handshake, int* alert) {
  const HandshakeFault fault = decide_(server_name_of(handshake));
  switch (fault) {
    case HandshakeFault::None:
      return SSL_CLIENT_HELLO_SUCCESS;
    case HandshakeFault::Cut:
      return SSL_CLIENT_HELLO_RETRY;  // nobody does: the connection finds the handshake unfinished, and ends
    case HandshakeFault::Expired:
    case HandshakeFault::OtherName:
      if (ssl::context* const wrong = context_of(fault)) {
        SSL_set_options(handshake, SSL_OP_NO_TICKET);  // a resumed session would show no certificate
        SSL_set_SSL_CTX(handshake, wrong->native_handle());
        return SSL_CLIENT_HELLO_SUCCESS;
      }
      [[fallthrough]];
    case HandshakeFault::Refuse:
      break;
  }
  *alert = SSL_AD_HANDSHAKE_FAILURE;
  return SSL_CLIENT_HELLO_ERROR;
}

// Null: there is no authority that could sign the wrong certificate.
ssl::context* HandshakeFaults::context_of(HandshakeFault fault) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = contexts_.try_emplace(fault);
  if (is_new)
    if (const auto identity = make_identity_(fault)) place->second.emplace(tls_context(*identity, "a fault rule"));
  return place->second ? &*place->second : nullptr;
}

}  // namespace rocktable
