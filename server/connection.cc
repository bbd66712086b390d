#include "server/connection.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <stdexcept>

#include "odata/text.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using namespace asio::experimental::awaitable_operators;  // NOLINT(google-build-using-namespace): operators

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

constexpr std::uint32_t kMaxHeaderBytes = 256 << 10;  // SDKs send filters of many KiB in the request line
constexpr std::uint64_t kMaxBodyBytes = 4 << 20;      // the service's limit of a batch, and so of any request
constexpr std::size_t kMaxReadBytes = 64 << 10;       // at once
constexpr std::size_t kMaxDrainedBytes = 64 << 20;
constexpr std::size_t kMaxFramingBytes = 1 << 20;  // of a chunked body: sizes, extensions, trailers
constexpr std::chrono::seconds kReadTimeout{60};
constexpr std::chrono::seconds kWriteTimeout{60};

// The code of the service that fits broken HTTP; nothing where the client just went away.
std::optional<Error> error_of(const boost::system::error_code& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::body_limit) return Error(ErrorCode::RequestBodyTooLarge);
  if (error == http::error::bad_target) return Error(ErrorCode::RequestUrlFailedToParse);
  if (error.category() == http::make_error_code(http::error::bad_method).category())
    return Error(ErrorCode::InvalidHeaderValue);
  return std::nullopt;
}

// Scans take the time that nothing else needs: one reads as long as it may, and others wait for a millisecond's work.
bool lower_priority_of_this_thread() {
  constexpr int kNice = 10;
  return setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice) == 0;
}

// In place of `co_return call.run()` in the connection: this runs on the pool's executor.
asio::awaitable<Response> run_there(Service::Call& call, const std::atomic<bool>& hung_up) {
  [[maybe_unused]] thread_local const bool kLowered = lower_priority_of_this_thread();
  co_return call.run(hung_up);
}

}  // namespace

struct Connection::Message {
  http::request_parser<http::string_body> parser;
  boost::system::error_code error;
  std::size_t bytes = 0;  // parsed so far
};

Connection::Connection(asio::ip::tcp::socket socket, const ConnectionContext& context)
    : socket_(std::move(socket)), context_(context), buffer_(kMaxHeaderBytes + kMaxReadBytes) {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto remote = socket_.remote_endpoint(ignored);
  remote_address_ = remote.address().to_string();
  enter(State::Idle);
}

void Connection::enter(State state) {
  state_ = state;
  since_ = std::chrono::steady_clock::now();
}

asio::awaitable<void> Connection::serve() {
  while (!finishing_) {
    Message message;
    enter(State::Idle);
    if (!co_await read(message)) {
      const auto refusal = error_of(message.error);
      if (!refusal) break;
      const Delivery delivery{.keep_alive = false};
      co_await write(context_.service.refuse(*refusal), delivery);
      break;
    }
    if (!co_await answer(message)) break;
  }
  co_await drain();
  close();
}

// One whole request; false where there is none to come.
asio::awaitable<bool> Connection::read(Message& message) {
  auto& parser = message.parser;
  parser.header_limit(kMaxHeaderBytes);
  parser.body_limit(kMaxBodyBytes);
  if (!co_await feed(message, true)) co_return false;
  enter(State::Reading);
  // How long a body is that is framed in another way nobody knows, and so not where the next request begins.
  if (parser.get().has_content_length() + parser.get().count(http::field::transfer_encoding) > 1 ||
      (parser.get().count(http::field::transfer_encoding) > 0 && !parser.chunked())) {
    message.error = http::error::bad_transfer_encoding;
    co_return false;
  }
  if (parser.is_done()) co_return true;

  if (equals_ignoring_case(parser.get()[http::field::expect], "100-continue")) {
    static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    std::size_t bytes = 0;
    std::tie(message.error, bytes) = co_await asio::async_write(socket_, asio::buffer(kGoOn), kAwait);
    if (message.error) co_return false;
  }
  co_return co_await feed(message, false);
}

// Feeds the parser with its header, or with all of the message; false where that fails. Beast's own reading
// does the same, but for one thing: the parser throws where a field is longer than 64 KiB, and there it would
// throw past the coroutine into the thread.
asio::awaitable<bool> Connection::feed(Message& message, bool header_alone) {
  auto& parser = message.parser;
  parser.eager(!header_alone);
  while (header_alone ? !parser.is_header_done() : !parser.is_done()) {
    if (buffer_.size() > 0) {
      try {
        const std::size_t bytes = parser.put(buffer_.data(), message.error);
        buffer_.consume(bytes);
        message.bytes += bytes;
      } catch (const std::length_error&) {
        message.error = http::error::header_limit;
      }
      if (message.bytes > kMaxHeaderBytes + 2 * parser.get().body().size() + kMaxFramingBytes)
        message.error = http::error::body_limit;
      if (!message.error) continue;
      if (message.error != http::error::need_more) co_return false;
    }
    if (buffer_.size() == buffer_.max_size()) {  // an endless chunk header or trailer
      message.error = http::error::header_limit;
      co_return false;
    }
    const auto space = buffer_.prepare(beast::read_size(buffer_, kMaxReadBytes));
    std::size_t bytes = 0;
    std::tie(message.error, bytes) = co_await socket_.async_read_some(space, kAwait);
    buffer_.commit(bytes);
    if (message.error == asio::error::eof)
      message.error = parser.got_some() ? http::error::partial_message : http::error::end_of_stream;
    if (message.error) co_return false;
  }
  co_return true;
}

// Whether the connection goes on.
asio::awaitable<bool> Connection::answer(Message& message) {
  enter(State::Working);
  const auto start = since_;
  const auto& received = message.parser.get();
  Request request{received.method_string(), received.target(), {}, &received.body(), remote_address_};
  for (const auto& field : received) request.headers.add(field.name_string(), field.value());

  Service::Call call = context_.service.accept(request);
  Response response;
  if (call.may_block()) {
    response = co_await (run_on_pool(call) && watch());
  } else {
    response = call.run(hung_up_);
  }
  context_.access_log.write(
      {remote_address_, request.method, request.target, response.status, response.body.size(),
       call.request_id(), call.plan_class(), call.stats().entities_scanned, call.stats().entities_returned,
       call.stats().bytes_read,
       std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start),
       call.explanation()});
  const Delivery delivery{.keep_alive = received.keep_alive() && !finishing_,
                          .http_1_0 = received.version() < 11};
  const bool written = co_await write(response, delivery);
  co_return written&& delivery.keep_alive;
}

asio::awaitable<Response> Connection::run_on_pool(Service::Call& call) {
  Response response =
      co_await asio::co_spawn(context_.blocking_pool, run_there(call, hung_up_), asio::use_awaitable);
  boost::system::error_code ignored;
  socket_.cancel(ignored);  // ends watch()
  co_return response;
}

// Notices while a call is at work that its client has gone. What a client sends ahead is left where it is.
asio::awaitable<void> Connection::watch() {
  const auto [error] = co_await socket_.async_wait(asio::ip::tcp::socket::wait_read, kAwait);
  if (error) co_return;
  char byte = 0;
  boost::system::error_code fault;
  const auto count = socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, fault);
  if (count == 0 || fault) hung_up_ = true;
}

asio::awaitable<bool> Connection::write(const Response& response, const Delivery& delivery) {
  enter(State::Writing);
  const std::string head = response_head(response, delivery);
  const std::string_view body = response.sends_body ? std::string_view(response.body) : "";
  const std::string_view tail = response_tail(response, delivery);
  const std::array<asio::const_buffer, 3> buffers{asio::buffer(head), asio::buffer(body), asio::buffer(tail)};
  const auto [error, bytes] = co_await asio::async_write(socket_, buffers, kAwait);
  co_return !error;
}

// Lets the client read its answer: closing with unread bytes in the socket would reset the connection under
// it.
asio::awaitable<void> Connection::drain() {
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  if (ignored) co_return;
  enter(State::Idle);
  std::array<char, 16384> bytes;
  for (std::size_t total = 0; total < kMaxDrainedBytes && !finishing_;) {
    const auto [error, count] = co_await socket_.async_read_some(asio::buffer(bytes), kAwait);
    if (error) co_return;
    total += count;
  }
}

void Connection::close_if_late(std::chrono::steady_clock::time_point now) {
  const auto waited = now - since_;
  if ((state_ == State::Idle && waited > context_.keep_alive_timeout) ||
      (state_ == State::Reading && waited > kReadTimeout) ||
      (state_ == State::Writing && waited > kWriteTimeout))
    close();
}

void Connection::finish() {
  finishing_ = true;
  if (state_ == State::Idle) close();
}

void Connection::close() {
  hung_up_ = true;  // nobody reads an answer any more
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace rocktable
