#include "server/http/stream.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

namespace rocktable {

std::optional<unsigned char> Stream::peek() {
  unsigned char byte = 0;
  const auto count = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 1 ? std::optional(byte) : std::nullopt;
}

bool Stream::has_hung_up() {
  pollfd socket{socket_.native_handle(), POLLRDHUP, 0};
  return poll(&socket, 1, 0) == 1;  // poll always reports errors and hang-ups; no other events are requested
}

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
