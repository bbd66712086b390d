// A minimal HTTP client over TCP and TLS, and a load generator with many connections.
#include "bench/http_client.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <exception>
#include <list>
#include <optional>
#include <stdexcept>

#include "base/text.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kLineEnd = "\r\n";

std::size_t number_of(std::string_view text, int base) {
  std::size_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, base);
  return out;
}

// Parses a response as it arrives. Sockets write into its memory, so that bodies are not copied; only chunks
// are. Reuses its memory for the next response.
class ResponseReader {
 public:
  // Memory for the next bytes, valid until received().
  asio::mutable_buffer space() {
    if (memory_.size() < size_ + kMinSpace) memory_.resize(2 * size_ + kMinSpace);
    return asio::buffer(memory_) + size_;
  }

  // The socket wrote this many bytes into space(). Returns whether the response is complete.
  bool received(std::size_t count) {
    size_ += count;
    if (body_ == 0 && !read_head()) return false;
    return chunked_ ? read_chunks() : size_ >= body_ + length_;
  }

  int status() const { return status_; }

  // Valid until clear().
  HttpResponse answer() const {
    const std::string_view all = bytes();
    return {status_, all.substr(0, body_), chunked_ ? content_ : all.substr(body_, length_), all};
  }

  void clear() {
    content_.clear();
    size_ = body_ = at_ = length_ = 0;
    chunked_ = false;
    status_ = 0;
  }

 private:
  static constexpr std::size_t kMinSpace = 65'536;

  std::string_view bytes() const { return std::string_view(memory_).substr(0, size_); }

  bool read_head() {
    const std::string_view all = bytes();
    const auto end = all.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    body_ = at_ = end + 4;
    const HttpResponse head{0, all.substr(0, body_), {}, {}};
    status_ = static_cast<int>(number_of(all.substr(9, 3), 10));
    chunked_ = !head.header("Transfer-Encoding").empty();
    length_ = number_of(head.header("Content-Length"), 10);
    return true;
  }

  bool read_chunks() {
    const std::string_view all = bytes();
    for (;;) {
      const auto line = all.find(kLineEnd, at_);
      if (line == std::string_view::npos) return false;
      const std::size_t size = number_of(all.substr(at_, line - at_), 16);
      const std::size_t end = line + 2 + size + 2;
      if (all.size() < end) return false;
      if (size == 0) return true;
      content_.append(all, line + 2, size);
      at_ = end;
    }
  }

  std::string memory_;
  std::string content_;
  std::size_t size_ = 0, body_ = 0, at_ = 0, length_ = 0;
  bool chunked_ = false;
  int status_ = 0;
};

void require_success(const HttpResponse& answer) {
  if (answer.status >= 400)
    throw std::runtime_error("the server answered " + std::to_string(answer.status) + ": " +
                             std::string(answer.body.substr(0, 300)));
}

struct Side {
  tcp::socket socket;
  ResponseReader reader{};
};

struct Run {
  Clock::time_point end;
  const std::function<std::string_view()>& next;
  Samples samples{};
};

asio::awaitable<void> drive(Side& side, Run& run) {
  for (auto start = Clock::now(); start < run.end;) {
    const std::string_view request = run.next();
    if (request.empty()) co_return;
    co_await asio::async_write(side.socket, asio::buffer(request), asio::use_awaitable);
    side.reader.clear();
    for (bool whole = false; !whole;) {
      const std::size_t count = co_await side.socket.async_read_some(side.reader.space(), asio::use_awaitable);
      whole = side.reader.received(count);
    }
    const auto now = Clock::now();
    run.samples.microseconds.push_back(std::chrono::duration<double, std::micro>(now - start).count());
    require_success(side.reader.answer());
    start = now;
  }
}

tcp::socket connected(asio::io_context& context, std::uint16_t port) {
  tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), port});
  socket.set_option(tcp::no_delay(true));
  return socket;
}

}  // namespace

std::string HttpResponse::header(std::string_view name) const {
  for (std::size_t line = head.find(kLineEnd); line != std::string::npos; line = head.find(kLineEnd, line + 2)) {
    const auto field = head.substr(line + 2);
    if (!equals_ignoring_case(field.substr(0, name.size()), name) || !field.substr(name.size()).starts_with(": "))
      continue;
    const auto value = field.substr(name.size() + 2);
    return std::string(value.substr(0, value.find(kLineEnd)));
  }
  return "";
}

struct HttpClient::Connection {
  Connection(std::uint16_t port, Transport transport) : socket(connected(context, port)) {
    if (transport == Transport::Plain) return;
    tls.emplace(socket, tls_context);
    tls->handshake(asio::ssl::stream_base::client);
  }

  template <class Stream>
  void exchange(Stream& stream, std::string_view request) {
    asio::write(stream, asio::buffer(request));
    reader.clear();
    while (!reader.received(stream.read_some(reader.space()))) {
    }
  }

  asio::io_context context{1};
  tcp::socket socket;
  asio::ssl::context tls_context{asio::ssl::context::tls_client};
  std::optional<asio::ssl::stream<tcp::socket&>> tls;
  ResponseReader reader;
};

HttpClient::HttpClient(std::uint16_t port, Transport transport)
    : connection_(std::make_unique<Connection>(port, transport)) {}
HttpClient::~HttpClient() = default;

HttpResponse HttpClient::exchange(std::string_view request) {
  Connection& connection = *connection_;
  connection.tls ? connection.exchange(*connection.tls, request) : connection.exchange(connection.socket, request);
  const HttpResponse answer = connection.reader.answer();
  require_success(answer);
  return answer;
}

LoadResult load(std::uint16_t port, int connections, std::chrono::milliseconds time,
                const std::function<std::string_view()>& next) {
  asio::io_context context(1);
  std::list<Side> sides;
  for (int i = 0; i < connections; ++i) sides.push_back({connected(context, port)});
  const auto start = Clock::now();
  Run run{start + time, next};
  const auto rethrow = [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  };
  for (auto& side : sides) asio::co_spawn(context, drive(side, run), rethrow);
  context.run();
  return {std::move(run.samples), std::chrono::duration<double>(Clock::now() - start).count()};
}

}  // namespace rocktable
