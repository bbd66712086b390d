// The bytes of one connection: TCP, or TLS over it. Readers and writers need not know which: an AsyncStream of Asio,
// without a virtual call, and plain bytes pass as if this class were not there.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <optional>
#include <utility>

namespace rocktable {

// `Token` stands for a completion token of (error_code, bytes), or of (error_code) alone.
class Stream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using executor_type = Socket::executor_type;  // NOLINT(readability-identifier-naming): Asio's name

  explicit Stream(Socket socket) : socket_(std::move(socket)) {}
  Stream(const Stream&) = delete;  // TLS refers to the socket
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }

  // TCP itself: to wait for bytes, to look at them, to set options. Whoever reads or writes there while there is TLS
  // breaks it.
  Socket& socket() { return socket_; }

  bool is_secure() const { return tls_.has_value(); }

  // Shakes hands as the server. All bytes from now on are those inside TLS.
  template <class Token>
  auto async_secure(boost::asio::ssl::context& context, Token&& token) {
    tls_.emplace(socket_, context);
    return tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return tls_ ? tls_->async_read_some(buffers, std::forward<Token>(token))
                : socket_.async_read_some(buffers, std::forward<Token>(token));
  }

  // With TLS a record of its own for each buffer.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return tls_ ? tls_->async_write_some(buffers, std::forward<Token>(token))
                : socket_.async_write_some(buffers, std::forward<Token>(token));
  }

  // With TLS alone: tells the client that nothing more comes (close_notify), and does not wait for its answer.
  template <class Token>
  auto async_close_notify(Token&& token) {
    expect_no_answer();
    return tls_->async_shutdown(std::forward<Token>(token));
  }

  // The next byte of TCP, which stays there; nothing where none has come, or none will.
  std::optional<unsigned char> peek();

  // Whether the client has closed, or ended its sending side, whatever bytes of it are still unread.
  bool has_hung_up();

  // What waits for this stream ends with operation_aborted.
  void cancel();
  void shutdown_send();
  void close();

 private:
  void expect_no_answer();

  Socket socket_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;
};

}  // namespace rocktable
