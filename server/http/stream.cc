#include "server/http/stream.h"

#include <openssl/ssl.h>

#include "base/platform/sockets.h"

namespace rocktable {

std::optional<unsigned char> Stream::peek() { return peek_byte(static_cast<std::uintptr_t>(socket_.native_handle())); }

bool Stream::has_hung_up() { return has_peer_hung_up(static_cast<std::uintptr_t>(socket_.native_handle())); }

// Lets OpenSSL believe that the client's close_notify came, so that the shutdown does not wait for it.
void Stream::expect_no_close_notify() {
  SSL* ssl = tls_->native_handle();
  SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN);
}

void Stream::cancel() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Stream::shutdown_send() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Stream::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace rocktable
