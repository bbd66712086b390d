// TCP, or TLS over it, as one AsyncStream of Asio. Readers and writers need not know which. There is no virtual call,
// and plain TCP has no overhead.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <optional>
#include <utility>

namespace rocktable {

// `Token` is a completion token of (error_code, bytes), or of (error_code).
class Stream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using executor_type = Socket::executor_type;  // NOLINT(readability-identifier-naming): Asio's name

  explicit Stream(Socket socket) : socket_(std::move(socket)) {}
  Stream(const Stream&) = delete;  // TLS refers to the socket
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }

  // The TCP socket, to wait for bytes, to peek at them, and to set options. Reading or writing it breaks TLS.
  Socket& socket() { return socket_; }

  bool is_secure() const { return tls_.has_value(); }

  // Shakes hands as the server. From now on all reads and writes go through TLS.
  template <class Token>
  auto async_secure(boost::asio::ssl::context& context, Token&& token) {
    tls_.emplace(socket_, context);
    return tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Token>(token));
  }

  // After async_secure(): whether the handshake is complete. OpenSSL can leave one without an error.
  bool has_shaken_hands() { return tls_ && SSL_is_init_finished(tls_->native_handle()) == 1; }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return tls_ ? tls_->async_read_some(buffers, std::forward<Token>(token))
                : socket_.async_read_some(buffers, std::forward<Token>(token));
  }

  // Under TLS each buffer becomes a record of its own.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return tls_ ? tls_->async_write_some(buffers, std::forward<Token>(token))
                : socket_.async_write_some(buffers, std::forward<Token>(token));
  }

  // Only under TLS: sends close_notify, and does not wait for the client's.
  template <class Token>
  auto async_close_notify(Token&& token) {
    expect_no_close_notify();
    return tls_->async_shutdown(std::forward<Token>(token));
  }

  // Peeks at the next byte of TCP. Returns nullopt if none has come, or none will.
  std::optional<unsigned char> peek();

  // Whether the client has closed the connection, or shut down its sending side, even if bytes are still unread.
  bool has_hung_up();

  // Ends pending operations with operation_aborted.
  void cancel();
  void shutdown_send();
  void close();

 private:
  void expect_no_close_notify();

  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;
};

}  // namespace rocktable
