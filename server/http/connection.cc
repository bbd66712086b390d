#include "server/http/connection.h"

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "server/http/await.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kMaxDrainedBytes = 64 << 20;
constexpr std::size_t kIdleBytes = 4 << 10;  // an idle connection keeps at most this
constexpr std::chrono::milliseconds kPlaceInterval{50};
// Measured: what OpenSSL and Asio hold until a handshake is complete.
constexpr std::size_t kHandshakeBytes = 96 << 10;

std::string address_of_client(const asio::ip::tcp::socket& socket) {
  boost::system::error_code ignored;
  return socket.remote_endpoint(ignored).address().to_string();
}

std::unique_ptr<ConnectionTrace> trace_of(const asio::ip::tcp::socket& socket, Trace* trace,
                                          const std::string& remote_address) {
  if (trace == nullptr) return nullptr;
  boost::system::error_code ignored;
  const auto local = socket.local_endpoint(ignored);
  return std::make_unique<ConnectionTrace>(
      *trace, ConnectionTrace::Addresses{local.address().to_string(), local.port(), remote_address});
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, const ConnectionPlaces::Holder& place, StorageService service,
                       const ConnectionContext& context, StoreCalls* store_calls)
    : stream_(std::move(socket)),
      place_(place),
      context_(context),
      remote_address_(address_of_client(stream_.socket())),
      trace_(trace_of(stream_.socket(), context.trace, remote_address_)),
      machine_(context.timeouts),
      memory_(context.budgets),
      waits_(stream_, machine_),
      runner_(context.service, context.executors, store_calls, stream_, machine_, memory_, waits_),
      writer_(stream_, machine_, waits_, place, trace_.get()),
      buffer_(kMaxHeaderBytes + kMaxReadBytes) {
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  request_.remote_address = remote_address_;
  request_.service = service;
  request_.connection = this;
  machine_.enter(State::Idle);
}

asio::awaitable<void> Connection::serve() {
  bool ready = !machine_.is_finishing();
  if (ready && context_.tls) ready = co_await secure();  // a statement of its own: GCC 12 breaks `||` before co_await
  if (ready) co_await serve_requests();
  co_await close_gracefully();
  if (context_.tls) context_.has_freed = true;
  close();
}

// --- Reading -----------------------------------------------------------------------------------------------

// Shakes hands for TLS. Returns false if that fails, or if the client speaks plain HTTP. Anybody can begin: what a
// handshake holds is charged to a budget of its own, and those that stall make way while it is short.
asio::awaitable<bool> Connection::secure() {
  machine_.enter(State::Handshake);
  co_await stream_.socket().async_wait(Stream::Socket::wait_read, kAwait);
  const auto first = stream_.peek();
  if (!first) co_return false;
  if (*first != kTlsHandshake) {
    const Error refusal(ErrorCode::AccountRequiresHttps,
                        "This endpoint speaks HTTPS: use https:// in the endpoint or connection string.");
    co_await refuse(refusal);
    co_return false;
  }
  const bool has_room = co_await await_room(memory_.handshake, kHandshakeBytes);
  if (!has_room || stream_.has_hung_up()) co_return false;
  machine_.enter(State::Handshake);  // its time begins when it can go on
  if (trace_) trace_->secure();
  const auto [error] = co_await stream_.async_secure(*context_.tls, kAwait);
  memory_.hold_secured();
  co_return !error && stream_.has_shaken_hands();
}

asio::awaitable<void> Connection::serve_requests() {
  while (!machine_.is_finishing()) {
    MessageReader reader(received_, buffer_);
    machine_.enter(State::Idle);
    bool is_read = co_await feed(reader, MessageReader::Part::Head);
    if (is_read) is_read = take_head(reader);
    if (is_read && place_.is_guest()) {
      const bool may_go_on = co_await await_place(reader);
      if (!may_go_on) co_return;
    }
    if (is_read && !reader.parser().is_done()) is_read = co_await read_body(reader);
    if (!is_read) {  // none will come, or it cannot be read
      const auto refusal = refusal_of(reader.error(), buffer_);
      if (trace_) trace_broken_request(reader, refusal.has_value());
      if (refusal) co_await refuse(*refusal);
      co_return;
    }
    if (!co_await respond(reader.parser())) co_return;
  }
}

// Lets a guest wait for a place, unless it asks for the control API. Returns false if the connection ends meanwhile.
asio::awaitable<bool> Connection::await_place(MessageReader& reader) {
  reader.parser().view(request_);
  if (is_for_control(request_)) co_return true;
  machine_.enter(State::Queued);
  asio::steady_timer timer(stream_.get_executor());
  while (place_.is_guest()) {
    if (place_.must_leave()) {
      co_await refuse(Error(ErrorCode::ServerBusy));
      co_return false;
    }
    timer.expires_after(kPlaceInterval);
    co_await timer.async_wait(kAwait);
    if (machine_.must_end() || stream_.has_hung_up()) co_return false;
  }
  machine_.enter(State::Head);
  co_return true;
}

// Charges the head, and checks where the request ends. Returns false if that is ambiguous.
bool Connection::take_head(MessageReader& reader) {
  charge_head();
  reader.check_framing();
  return !reader.error().failed();
}

// Reads a body. A request that is large, or may become large, is accepted or refused by its head: its body is kept only
// if the request is accepted and there is memory. After a refusal the body is read and dropped, so that the connection
// can serve further requests.
asio::awaitable<bool> Connection::read_body(MessageReader& reader) {
  auto& parser = reader.parser();
  machine_.enter(State::Body);
  const auto length = parser.content_length();
  const bool is_large = length && *length > kFreeBytes;
  parser.view(request_);
  const bool is_judged_now = is_large || !length || memory_.head.is_held();
  if (is_judged_now && !runner_.accept_at_once(request_, call_)) co_await accept();
  if (refusal_) {
    parser.drop_body();
  } else if (call_ && call_->is_refused()) {
    co_await refuse_early(parser);
  } else if (is_large) {
    const bool has_room = co_await await_room(memory_.body, *length);
    if (!has_room) {
      reader.fail(asio::error::operation_aborted);
      co_return false;
    }
  }
  if (parser.expects_continue()) {
    static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [error, bytes] = co_await asio::async_write(stream_, asio::buffer(kGoOn), kAwait);
    if (error) {
      reader.fail(error);
      co_return false;
    }
  }
  co_return co_await feed(reader, MessageReader::Part::Whole);
}

// Feeds the reader until it has the part. Returns false if that fails.
asio::awaitable<bool> Connection::feed(MessageReader& reader, MessageReader::Part part) {
  const bool head = part == MessageReader::Part::Head;
  MemoryBudget::Share& share = head ? memory_.head : memory_.body;
  for (;;) {
    if (trace_ && buffer_.size() > 0) trace_->begin();
    const auto need = reader.advance(part, share.is_held());
    if (need == MessageReader::Need::Nothing) co_return !reader.error().failed();
    if (machine_.is_finishing() && machine_.is_between_requests()) {
      reader.fail(http::error::end_of_stream);
      co_return false;
    }
    if (machine_.state() == State::Idle && reader.has_begun()) machine_.enter(State::Head);
    if (need == MessageReader::Need::Room) {
      const bool has_room = co_await await_room(share, head ? kMaxHeaderBytes : kMaxBodyBytes);
      if (!has_room) {
        reader.fail(asio::error::operation_aborted);
        co_return false;
      }
    }
    const auto space = reader.prepare(part, memory_.holds_request());
    const auto [error, bytes] = co_await stream_.async_read_some(space, kAwait);
    if (memory_.holds_request()) machine_.note_progress();
    reader.commit(bytes, error);
    if (machine_.end_release() && error == asio::error::operation_aborted && !machine_.is_finishing()) {
      release_buffers();
      continue;
    }
    if (reader.error().failed()) co_return false;
  }
}

// Charges a large head for the memory that it takes, until the response is written.
void Connection::charge_head() {
  if (!memory_.head.is_held()) return;
  buffer_.shrink_to_fit();
  memory_.head.charge(received_.capacity() + buffer_.capacity());
}

// Waits for memory for a part of a request. Returns false if the connection ends meanwhile.
asio::awaitable<bool> Connection::await_room(MemoryBudget::Share& share, std::size_t bytes) {
  if (share.take(bytes)) co_return true;
  const State reading = machine_.state();
  machine_.enter(State::Waiting);
  const bool granted = co_await waits_.for_share(share, bytes);
  machine_.enter(reading);
  co_return granted && !machine_.is_finishing();
}

// Shuts down sending, then drains what the client still sends: closing a socket with unread bytes would reset the
// connection before the client has read its response.
asio::awaitable<void> Connection::close_gracefully() {
  machine_.enter(State::Closing);
  memory_.release();  // the client may take its time
  buffer_.clear();
  if (holds_much()) release_buffers();
  if (stream_.is_secure()) co_await stream_.async_close_notify(kAwait);
  stream_.shutdown_send();
  std::array<char, 16384> bytes;
  for (std::size_t total = 0; total < kMaxDrainedBytes && !machine_.is_finishing();) {
    const auto [error, count] = co_await stream_.socket().async_read_some(asio::buffer(bytes), kAwait);
    if (error) co_return;
    total += count;
  }
}

// --- Answering ---------------------------------------------------------------------------------------------

// Accepts a request for which the store may have to be asked. If that has no time for it, the client is told to come
// again.
asio::awaitable<void> Connection::accept() {
  const bool is_accepted = co_await runner_.accept(request_, call_);
  if (!is_accepted) refusal_ = context_.service.refuse(Error(ErrorCode::ServerBusy), request_.service);
}

// Runs the request and writes the response. Returns whether the connection serves further requests.
asio::awaitable<bool> Connection::respond(const RequestParser& parser) {
  machine_.enter(State::Working);
  if (trace_) trace_->complete(request_, parser.body_bytes(), parser.is_http_1_0());
  if (!call_ && !refusal_) {
    parser.view(request_);
    if (!runner_.accept_at_once(request_, call_)) co_await accept();
  }
  std::optional<Response> response = std::exchange(refusal_, std::nullopt);
  if (!response) {
    const auto delay = call_->delay();
    response = runner_.run_at_once(*call_, delay);
    if (!response) response = co_await runner_.run(*call_, delay);
    if (!response) {  // the client hung up
      if (trace_) trace_->end_without_response("the client went away before its request began");
      co_return false;
    }
    if (!memory_.hold_response(response->body.size(), call_->changed_nothing())) response = call_->busy();
    report(*response);
    call_.reset();
  }
  Delivery* const delivery = response->delivery.get();
  const bool is_slow =
      delivery != nullptr && (delivery->delay > delivery->delay.zero() || delivery->bytes_per_second > 0);
  if (is_slow && !memory_.hold_apart()) {  // it would hold up others
    delivery->bytes_per_second = 0;
  } else if (is_slow && delivery->delay > delivery->delay.zero()) {
    const bool is_there = co_await waits_.for_time(delivery->delay);
    if (!is_there) {
      if (trace_) trace_->end_without_response("the client went away while its answer was delayed");
      co_return false;
    }
  }
  const ResponseOptions options{.keep_alive = parser.keep_alive() && !machine_.is_finishing() &&
                                              !context_.is_draining && !response->stream && !place_.is_guest(),
                                .http_1_0 = parser.is_http_1_0()};
  if (delivery != nullptr && delivery->ending != Delivery::Ending::Complete) {
    co_await writer_.write_beginning(*response, options);
    co_return false;
  }
  const bool written = co_await writer_.write(*response, options);
  if (written && response->stream && response->sends_body) co_await writer_.write_stream(*response->stream, options);
  memory_.release();
  if (!written) co_return false;
  co_return options.keep_alive;
}

// Renders a refusal at once. The head is not needed any more, so its memory is released before the body comes.
asio::awaitable<void> Connection::refuse_early(RequestParser& parser) {
  refusal_ = co_await runner_.run(*call_, {});
  if (!refusal_) refusal_ = call_->busy();  // the client has gone
  report(*refusal_);
  call_.reset();
  if (trace_) trace_->keep_head(request_, parser.is_http_1_0());
  request_.headers.clear();
  request_.head = {};
  received_.release();
  memory_.head.release();
  parser.drop_body();
}

// Refuses bytes that are not a request. The connection ends.
asio::awaitable<void> Connection::refuse(const Error& error) {
  const Response response = context_.service.refuse(error, request_.service);
  const ResponseOptions options{.keep_alive = false};
  co_await writer_.write(response, options);
}

// --- What observers get ------------------------------------------------------------------------------------

// Makes the event of the call, and hands it to each sink.
void Connection::report(const Response& response) {
  const auto duration = ConnectionMachine::Clock::now() - machine_.since();
  const RequestEvent event = call_->event(response, std::chrono::duration_cast<std::chrono::microseconds>(duration));
  for (RequestEventSink* const sink : context_.event_sinks) sink->record(event);
  if (trace_) trace_->keep_outcome(event);
}

// Traces a request that did not become complete.
void Connection::trace_broken_request(MessageReader& reader, bool is_refused) {
  const auto& parser = reader.parser();
  if (!refusal_) parser.view(request_);  // else its memory is released, and the trace has its head
  const bool head_is_broken = !parser.is_header_done() && reader.error() != http::error::body_limit;
  const auto bytes = buffer_.data();
  const std::string_view unread(static_cast<const char*>(bytes.data()), head_is_broken ? bytes.size() : 0);
  trace_->fail(request_, parser.body_bytes(), parser.is_http_1_0(), unread, reason_of(reader.error(), is_refused));
  if (!is_refused) trace_->end_without_response();
}

// --- Its end -----------------------------------------------------------------------------------------------

void Connection::sweep(ConnectionMachine::Clock::time_point now) {
  // A call at work has no timeout, and charges its response on another thread: read no share then.
  if (machine_.state() == State::Working) return;
  const bool request_is_short = memory_.request_is_short();
  const ConnectionMachine::Use use{.holds_buffers = holds_much(),
                                   .others_wait = context_.places.has_guests() || memory_.secured_is_short(),
                                   .must_leave = place_.must_leave(),
                                   .request_is_short = request_is_short,
                                   .response_is_short = memory_.response_is_short(),
                                   .bytes_wait = request_is_short && stream_.peek().has_value()};
  switch (machine_.check(now, use)) {
    case ConnectionMachine::Verdict::Wait:
      return;
    case ConnectionMachine::Verdict::ReleaseBuffers:
      machine_.begin_release();
      return stream_.cancel();  // the pending read uses a buffer
    case ConnectionMachine::Verdict::Finish:
      return finish();
    case ConnectionMachine::Verdict::Close:
      return close();
  }
}

bool Connection::holds_much() const {
  return buffer_.capacity() + received_.capacity() + writer_.capacity() > kIdleBytes;
}

void Connection::release_buffers() {
  buffer_.shrink_to_fit();
  received_.release();
  writer_.release();
  context_.has_freed = true;
}

void Connection::finish() {
  waits_.cancel_time();
  switch (machine_.finish()) {
    case ConnectionMachine::Stop::Nothing:
      return;
    case ConnectionMachine::Stop::WaitForMemory:
      return waits_.cancel_memory();
    case ConnectionMachine::Stop::WaitForClient:
      return stream_.cancel();
    case ConnectionMachine::Stop::Everything:
      return close();
  }
}

void Connection::close() {
  machine_.hang_up();  // a call at work may stop
  waits_.cancel_memory();
  waits_.cancel_time();
  stream_.close();
}

}  // namespace rocktable
