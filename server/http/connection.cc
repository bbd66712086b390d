#include "server/http/connection.h"

#include <spdlog/spdlog.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/error.hpp>
#include <tuple>
#include <utility>

#include "server/limits/page_memory.h"

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
constexpr std::size_t kMaxWrittenBytes = 64 << 10;
constexpr std::size_t kMaxDrainedBytes = 64 << 20;
constexpr std::size_t kMaxFramingBytes = 1 << 20;  // of a chunked body: sizes, extensions, trailers
constexpr std::size_t kIdleBytes = 4 << 10;        // a connection that idles keeps no more
constexpr std::chrono::seconds kHandshakeTimeout{10};
constexpr std::chrono::seconds kCloseTimeout{10};    // for the client to read the last answer, and to close
constexpr std::chrono::seconds kPressedTimeout{10};  // for a large request or answer while memory is short
constexpr std::chrono::seconds kStalledTimeout{1};   // without a byte of it meanwhile
constexpr std::chrono::seconds kIdlesAfter{2};
constexpr std::chrono::milliseconds kAtOnce{50};  // a call that waited for its thread no longer than this
constexpr std::chrono::milliseconds kWatchInterval{50};
constexpr std::size_t kMaxJoinedBytes = 64 << 10;  // of a body that is copied behind its head
constexpr unsigned char kTlsHandshake = 0x16;      // the first byte of TLS, and of no HTTP

bool starts_tls(const beast::flat_buffer& bytes) {
  return bytes.size() > 0 && *static_cast<const unsigned char*>(bytes.data().data()) == kTlsHandshake;
}

// At once as much of a body as is announced: each read is a turn through the kernel and the event loop. Who has no
// share of the memory reads little at a time.
std::size_t bytes_to_read(const beast::flat_buffer& buffer, std::uint64_t announced, bool has_share) {
  const std::size_t most =
      std::min(has_share ? kMaxReadBytes : kFreeBytes, buffer.max_size() - buffer.size());
  return std::max(beast::read_size(buffer, most),
                  static_cast<std::size_t>(std::min<std::uint64_t>(announced, most)));
}

// Told once: whoever mixes the protocols up does so with each connection.
void tell_of_tls() {
  [[maybe_unused]] static const bool kTold = [] {
    spdlog::warn(
        "a client speaks HTTPS, and this endpoint HTTP: use http:// in the endpoint or connection string, or "
        "start with --tls auto");
    return true;
  }();
}

// The error of the service that fits broken HTTP; nothing where the client just went away. `unread` begins with what
// could not be read.
std::optional<Error> refusal_of(const boost::system::error_code& error, const beast::flat_buffer& unread) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error == http::error::body_limit) return Error(ErrorCode::RequestBodyTooLarge);
  if (error == http::error::bad_target) return Error(ErrorCode::RequestUrlFailedToParse);
  if (error == boost::system::errc::not_supported)
    return Error(ErrorCode::NotImplemented);  // a transfer coding
  if (error == http::error::bad_method && starts_tls(unread)) {
    tell_of_tls();
    return Error(ErrorCode::InvalidInput,
                 "This endpoint speaks HTTP: use http:// in the endpoint or connection string.");
  }
  if (error.category() == http::make_error_code(http::error::bad_method).category())
    return Error(ErrorCode::InvalidHeaderValue);
  return std::nullopt;
}

// Why a request did not become whole, for people; `is_refused`: there is an answer that says so, too.
std::string reason_of(const boost::system::error_code& error, bool is_refused) {
  if (is_refused) return "the request could not be read: " + error.message();
  if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
    return "the server closed the connection before the request was whole: it took too long, or the server "
           "stops";
  return "the client went away before its request was whole";
}

ConnectionTrace::Ends ends_of(const asio::ip::tcp::socket& socket, const std::string& remote_address) {
  boost::system::error_code ignored;
  const auto local = socket.local_endpoint(ignored);
  return {local.address().to_string(), local.port(), remote_address};
}

// In place of `co_return call.run()` in the connection: this runs on a lane's executor. Nothing where a query waited for
// its thread, and its client has gone meanwhile. (Who only ends its sending side looks the same, and is answered where
// that takes no wait.)
asio::awaitable<std::optional<Response>> run_there(Service::Call& call, const std::atomic<bool>& hung_up,
                                                   MemoryBudget::Share& memory,
                                                   std::chrono::steady_clock::time_point since) {
  const bool waited = std::chrono::steady_clock::now() - since > kAtOnce;
  if (waited && hung_up && call.only_reads()) co_return std::nullopt;
  co_return call.run(hung_up, memory);
}

}  // namespace

struct Connection::Message {
  RequestParser parser;
  boost::system::error_code error;
  std::size_t bytes = 0;       // parsed so far
  std::size_t head_bytes = 0;  // of them, once the head is done
};

// While a call is at work on the pool.
struct Connection::Watch {
  asio::steady_timer pause;
  bool over = false;
};

Connection::Connection(asio::ip::tcp::socket socket, StorageService service, const ConnectionContext& context)
    : stream_(std::move(socket)),
      context_(context),
      buffer_(kMaxHeaderBytes + kMaxReadBytes),
      head_share_(context.heads),
      body_share_(context.bodies),
      answer_share_(context.answers) {
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto remote = stream_.socket().remote_endpoint(ignored);
  remote_address_ = remote.address().to_string();
  request_.remote_address = remote_address_;
  request_.service = service;
  if (context.trace)
    trace_ = std::make_unique<ConnectionTrace>(*context.trace, ends_of(stream_.socket(), remote_address_));
  enter(State::Idle);
}

void Connection::enter(State state) {
  state_ = state;
  since_ = moved_ = std::chrono::steady_clock::now();
}

asio::awaitable<void> Connection::serve() {
  bool ready = !finishing_;
  if (ready && context_.tls)
    ready = co_await secure();  // a statement of its own: GCC 12 breaks `||` before co_await
  if (ready) co_await serve_requests();
  co_await close_gracefully();
  if (holds_much()) context_.has_freed = true;
  close();
}

// The handshake of TLS; false where it fails, and where the client does not even try.
asio::awaitable<bool> Connection::secure() {
  enter(State::Handshake);
  co_await stream_.socket().async_wait(Stream::Socket::wait_read, kAwait);
  const auto first = stream_.peek();
  if (!first) co_return false;
  if (*first != kTlsHandshake) {
    const Error refusal(ErrorCode::AccountRequiresHttps,
                        "This endpoint speaks HTTPS: use https:// in the endpoint or connection string.");
    co_await refuse(refusal);
    co_return false;
  }
  if (trace_) trace_->secure();
  const auto [error] = co_await stream_.async_secure(*context_.tls, kAwait);
  co_return !error;
}

asio::awaitable<void> Connection::serve_requests() {
  while (!finishing_) {
    Message message{RequestParser(received_), {}, 0};
    enter(State::Idle);
    if (!co_await read(message)) {
      const auto refusal = refusal_of(message.error, buffer_);
      if (trace_) trace_broken_request(message, refusal.has_value());
      if (refusal) co_await refuse(*refusal);
      co_return;
    }
    if (!co_await answer(message)) co_return;
  }
}

// To what is not even a request. The connection ends with it.
asio::awaitable<void> Connection::refuse(const Error& error) {
  const Response response = context_.service.refuse(error, request_.service);
  const Delivery delivery{.keep_alive = false};
  co_await write(response, delivery);
}

// One whole request; false where there is none to come.
asio::awaitable<bool> Connection::read(Message& message) {
  auto& parser = message.parser;
  parser.header_limit(kMaxHeaderBytes);
  parser.body_limit(kMaxBodyBytes);
  if (!co_await feed(message, true)) co_return false;
  message.head_bytes = message.bytes;
  charge_head();
  message.error = parser.framing_error();
  if (message.error) co_return false;
  if (parser.is_done()) co_return true;
  co_return co_await read_body(message);
}

// What is large, or may become so, is judged by its head: a body is kept only where that is accepted and there is memory.
// A refusal leaves the connection as usable as any answer, so the body is read all the same, and dropped.
asio::awaitable<bool> Connection::read_body(Message& message) {
  auto& parser = message.parser;
  enter(State::Body);
  const auto length = parser.content_length();
  const bool is_large = length && *length > kFreeBytes;
  if (is_large || !length || head_share_.is_held()) accept(message);
  if (call_ && call_->is_refused()) {
    refuse_early(message);
  } else if (is_large) {
    const bool has_room = co_await await_room(body_share_, *length);
    if (!has_room) {
      message.error = asio::error::operation_aborted;
      co_return false;
    }
  }
  if (parser.expects_continue()) {
    static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    std::size_t bytes = 0;
    std::tie(message.error, bytes) = co_await asio::async_write(stream_, asio::buffer(kGoOn), kAwait);
    if (message.error) co_return false;
  }
  co_return co_await feed(message, false);
}

// Feeds the parser with its header, or with all of the message; false where that fails.
asio::awaitable<bool> Connection::feed(Message& message, bool header_alone) {
  auto& parser = message.parser;
  parser.eager(!header_alone);
  while (header_alone ? !parser.is_header_done() : !parser.is_done()) {
    if (buffer_.size() > 0) {
      if (trace_) trace_->begin();
      const std::size_t bytes = parser.put(buffer_.data(), message.error);
      buffer_.consume(bytes);
      message.bytes += bytes;
      if (message.bytes > kMaxHeaderBytes + 2 * parser.body_bytes() + kMaxFramingBytes)
        message.error = http::error::body_limit;
      if (!message.error) continue;
      if (message.error != http::error::need_more) co_return false;
    }
    if (buffer_.size() == buffer_.max_size()) {  // an endless chunk header or trailer
      message.error = http::error::header_limit;
      co_return false;
    }
    if (finishing_ && (state_ == State::Idle || state_ == State::Head)) {
      message.error = http::error::end_of_stream;
      co_return false;
    }
    if (state_ == State::Idle && (message.bytes > 0 || buffer_.size() > 0)) enter(State::Head);
    if (needs_room(message, header_alone)) {
      MemoryBudget::Share& share = header_alone ? head_share_ : body_share_;
      const bool has_room = co_await await_room(share, header_alone ? kMaxHeaderBytes : kMaxBodyBytes);
      if (!has_room) {
        message.error = asio::error::operation_aborted;
        co_return false;
      }
    }
    const auto space = buffer_.prepare(bytes_to_read(buffer_, header_alone ? 0 : parser.announced_bytes(),
                                                     has_share() && !parser.drops_body()));
    std::size_t bytes = 0;
    std::tie(message.error, bytes) = co_await stream_.async_read_some(space, kAwait);
    buffer_.commit(bytes);
    if (has_share()) moved_ = std::chrono::steady_clock::now();
    if (std::exchange(releasing_buffers_, false) && message.error == asio::error::operation_aborted &&
        !finishing_) {
      give_memory_back();
      continue;
    }
    if (message.error == asio::error::eof)
      message.error = parser.got_some() ? http::error::partial_message : http::error::end_of_stream;
    if (message.error) co_return false;
  }
  co_return true;
}

// Whether more than the little that everybody has is about to be read, by a head or a body in chunks.
bool Connection::needs_room(const Message& message, bool header_alone) const {
  if (message.bytes - message.head_bytes + buffer_.size() <= kFreeBytes) return false;
  return header_alone ? !head_share_.is_held() : !body_share_.is_held() && !message.parser.drops_body();
}

// What a large head takes now that it is complete. It stays charged until the answer is written.
void Connection::charge_head() {
  if (!head_share_.is_held()) return;
  buffer_.shrink_to_fit();
  head_share_.charge(received_.capacity() + buffer_.capacity());
}

// Until the share is granted, in the order of arrival; false where the client hangs up meanwhile, or the server stops
// before the request is complete.
asio::awaitable<bool> Connection::await_share(MemoryBudget::Share& share, std::size_t bytes) {
  turn_ = std::make_shared<asio::steady_timer>(stream_.get_executor(), asio::steady_timer::time_point::max());
  MemoryBudget::Turn turn(
      share, bytes, [timer = turn_] { asio::post(timer->get_executor(), [timer] { timer->cancel(); }); });
  bool granted = turn.claim();
  while (!granted && !hung_up_ && !(finishing_ && state_ == State::Waiting)) {
    co_await turn_->async_wait(kAwait);
    granted = turn.claim();
  }
  turn_.reset();
  co_return granted;
}

// The same for a part of a request; false where the connection ends meanwhile.
asio::awaitable<bool> Connection::await_room(MemoryBudget::Share& share, std::size_t bytes) {
  if (share.take(bytes)) co_return true;
  const State reading = state_;
  enter(State::Waiting);
  const bool granted = co_await await_share(share, bytes);
  enter(reading);
  co_return granted && !finishing_;
}

void Connection::accept(Message& message) {
  message.parser.view(request_);
  call_ = context_.service.accept(request_);
}

// A refusal is rendered at once: the head has served its purpose, and its memory goes back before the body comes.
void Connection::refuse_early(Message& message) {
  refusal_ = call_->run(hung_up_, answer_share_);
  log(*refusal_);
  call_.reset();
  if (trace_) trace_->keep_head(request_, message.parser.is_http_1_0());
  request_.headers.clear();
  received_.release();
  head_share_.give_back();
  message.parser.drop_body();
}

// Accounts for the answer; false where there is no memory for it. There always is for what a write has done, and for a page
// that has a share: it is larger by its last entity at most.
bool Connection::hold_answer(std::size_t bytes) {
  if (bytes <= kFreeBytes) {
    answer_share_.give_back();
    return true;
  }
  const bool may_refuse =
      call_->only_reads() || (request_.method == "GET" && call_->lane() == Lane::Connection);
  if (may_refuse && !answer_share_.is_held()) return answer_share_.take(bytes);
  answer_share_.charge(bytes);
  return true;
}

// Whether the connection goes on.
asio::awaitable<bool> Connection::answer(Message& message) {
  enter(State::Working);
  if (trace_) trace_->complete(request_, message.parser.body_bytes(), message.parser.is_http_1_0());
  std::optional<Response> response = std::exchange(refusal_, std::nullopt);
  if (!response) {
    if (!call_) accept(message);
    if (call_->lane() == Lane::Connection) {
      response = call_->run(hung_up_, answer_share_);
    } else {
      response = co_await run_watched();
    }
    if (!response) {  // nobody is left to read it
      if (trace_) trace_->leave_unanswered("the client went away before its query began");
      co_return false;
    }
    if (!hold_answer(response->body.size()))
      response = context_.service.refuse(Error(ErrorCode::ServerBusy), request_.service);
    log(*response);
    call_.reset();
  }
  const Delivery delivery{.keep_alive = message.parser.keep_alive() && !finishing_,
                          .http_1_0 = message.parser.is_http_1_0()};
  const bool written = co_await write(*response, delivery);
  answer_share_.give_back();
  body_share_.give_back();
  head_share_.give_back();
  co_return written&& delivery.keep_alive;
}

void Connection::log(const Response& response) {
  const auto& stats = call_->stats();
  const AccessRecord record{
      remote_address_,
      request_.method,
      request_.target,
      response.status,
      response.body.size(),
      call_->request_id(),
      call_->plan_class(),
      stats.entities_scanned,
      stats.entities_returned,
      stats.bytes_read,
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - since_),
      call_->explanation()};
  context_.access_log.write(record);
  if (trace_) trace_->keep_outcome(record);
}

// What came of a request that did not become whole.
void Connection::trace_broken_request(Message& message, bool is_refused) {
  const auto& parser = message.parser;
  if (!refusal_) parser.view(request_);  // else its memory is given back, and the trace has its head
  const bool head_is_broken = !parser.is_header_done() && message.error != http::error::body_limit;
  const auto bytes = buffer_.data();
  const std::string_view unread(static_cast<const char*>(bytes.data()), head_is_broken ? bytes.size() : 0);
  trace_->break_off(request_, parser.body_bytes(), parser.is_http_1_0(), unread,
                    reason_of(message.error, is_refused));
  if (!is_refused) trace_->leave_unanswered();
}

// On the threads of the call's lane. Nothing where its client has gone before a query began.
asio::awaitable<std::optional<Response>> Connection::run_watched() {
  Watch its_client{asio::steady_timer(stream_.get_executor())};
  co_return co_await (run_on_lane(its_client) && watch(its_client));
}

// A query over many partitions begins as soon as there is memory for the first bytes of its answer. One within a partition
// does not wait for those: where memory is short its page ends early.
asio::awaitable<std::optional<Response>> Connection::run_on_lane(Watch& watch) {
  std::optional<Response> response;
  bool has_room = true;
  if (call_->lane() == Lane::Table) has_room = co_await await_share(answer_share_, PageMemory::kFirstBytes);
  if (has_room)
    response = co_await asio::co_spawn(
        context_.lanes.of(call_->lane()),
        run_there(*call_, hung_up_, answer_share_, std::chrono::steady_clock::now()), asio::use_awaitable);
  watch.over = true;
  watch.pause.cancel();
  stream_.cancel();
  co_return response;
}

// Notices while a call is at work that its client has gone. What a client sends ahead, and how TLS takes its leave, are
// bytes before the end: they stay where they are, and the end behind them shows to whoever looks again and again.
asio::awaitable<void> Connection::watch(Watch& watch) {
  co_await stream_.socket().async_wait(Stream::Socket::wait_read, kAwait);
  while (!watch.over && !hung_up_) {
    if (stream_.has_hung_up()) {
      hung_up_ = true;
      if (turn_) turn_->cancel();
      co_return;
    }
    watch.pause.expires_after(kWatchInterval);
    co_await watch.pause.async_wait(kAwait);
  }
}

asio::awaitable<bool> Connection::write(const Response& response, const Delivery& delivery) {
  enter(State::Writing);
  outgoing_.clear();
  append_response_head(outgoing_, response, delivery);
  const std::string_view body = response.sends_body ? std::string_view(response.body) : "";
  const std::string_view tail = response_tail(response, delivery);
  boost::system::error_code error;
  std::size_t bytes = 0;
  if (body.size() <= kMaxJoinedBytes) {  // one buffer to send, one record of TLS: cheaper than the copy
    outgoing_.append(body).append(tail);
    std::tie(error, bytes) = co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
  } else {
    const std::array<asio::const_buffer, 3> buffers{asio::buffer(outgoing_), asio::buffer(body),
                                                    asio::buffer(tail)};
    const auto next = [this](const boost::system::error_code& failure, std::size_t) {
      moved_ = std::chrono::steady_clock::now();
      return failure ? 0 : kMaxWrittenBytes;
    };
    std::tie(error, bytes) = co_await asio::async_write(stream_, buffers, next, kAwait);
  }
  if (trace_) trace_->answer(outgoing_, body, response.error, since_, !error);
  co_return !error;
}

// Ends what is sent, and lets the client read its answer: closing with unread bytes in the socket would reset the
// connection under it. What still comes is not looked at.
asio::awaitable<void> Connection::close_gracefully() {
  enter(State::Closing);
  if (stream_.is_secure()) co_await stream_.async_close_notify(kAwait);
  stream_.shutdown_send();
  std::array<char, 16384> bytes;
  for (std::size_t total = 0; total < kMaxDrainedBytes && !finishing_;) {
    const auto [error, count] = co_await stream_.socket().async_read_some(asio::buffer(bytes), kAwait);
    if (error) co_return;
    total += count;
  }
}

void Connection::sweep(std::chrono::steady_clock::time_point now) {
  const auto waited = now - since_;
  if (state_ == State::Idle && !finishing_) {
    if (waited > context_.timeouts.keep_alive) {
      finish();
    } else if (waited > kIdlesAfter && holds_much()) {
      releasing_buffers_ = true;
      stream_.cancel();  // it waits with a buffer
    }
  } else if (is_late(now)) {
    close();
  }
}

bool Connection::is_late(std::chrono::steady_clock::time_point now) const {
  const auto waited = now - since_;
  const auto is_pressed = [&](const MemoryBudget::Share& share, const MemoryBudget& budget) {
    return share.is_held() && budget.is_short() &&
           (waited > kPressedTimeout || now - moved_ > kStalledTimeout);
  };
  const bool request_is_pressed =
      is_pressed(head_share_, context_.heads) || is_pressed(body_share_, context_.bodies);
  switch (state_) {
    case State::Handshake:
      return waited > kHandshakeTimeout;
    case State::Idle:
      return finishing_;
    case State::Head:
      return finishing_ || waited > context_.timeouts.head || request_is_pressed;
    case State::Body:
      return waited > context_.timeouts.body || request_is_pressed;
    case State::Waiting:
      return waited > context_.timeouts.body;
    case State::Working:
      return false;
    case State::Writing:
      return waited > context_.timeouts.answer || request_is_pressed ||
             is_pressed(answer_share_, context_.answers);
    case State::Closing:
      return finishing_ || waited > kCloseTimeout;
  }
  return false;
}

bool Connection::holds_much() const {
  return buffer_.capacity() + received_.capacity() + outgoing_.capacity() > kIdleBytes;
}

void Connection::give_memory_back() {
  buffer_.shrink_to_fit();
  received_.release();
  std::string().swap(outgoing_);
  context_.has_freed = true;
}

void Connection::finish() {
  finishing_ = true;
  if (state_ == State::Handshake) close();
  if (state_ == State::Waiting && turn_) turn_->cancel();
  if (state_ == State::Idle || state_ == State::Head || state_ == State::Closing)
    stream_.cancel();  // what it waits for does not come
}

void Connection::close() {
  hung_up_ = true;  // nobody reads an answer any more
  if (turn_) turn_->cancel();
  stream_.close();
}

}  // namespace rocktable
