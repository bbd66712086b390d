#include "server/http/connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <tuple>
#include <utility>

#include "server/http/await.h"
#include "server/limits/page_budget.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using namespace asio::experimental::awaitable_operators;  // NOLINT(google-build-using-namespace): operators

constexpr std::size_t kMaxWrittenBytes = 64 << 10;
constexpr std::size_t kMaxDrainedBytes = 64 << 20;
constexpr std::size_t kIdleBytes = 4 << 10;       // an idle connection keeps at most this
constexpr std::chrono::milliseconds kAtOnce{50};  // a call that waited for its thread no longer did not wait
constexpr std::chrono::milliseconds kWatchInterval{50};
constexpr std::chrono::milliseconds kLongWatchInterval{500};  // of a client that waits for long
constexpr std::chrono::milliseconds kStreamInterval{100};
constexpr std::size_t kMaxJoinedBytes = 64 << 10;  // a longer body is not copied behind its head
// Measured: what OpenSSL and Asio hold until a handshake is complete.
constexpr std::size_t kHandshakeBytes = 96 << 10;
constexpr std::size_t kSecuredBytes = 75 << 10;  // and afterwards, also while the connection is idle

ConnectionTrace::Addresses addresses_of(const asio::ip::tcp::socket& socket,
                                        const std::string& remote_address) {
  boost::system::error_code ignored;
  const auto local = socket.local_endpoint(ignored);
  return {local.address().to_string(), local.port(), remote_address};
}

// Runs the call on a lane's executor. Returns nullopt if a query waited for its thread, and its client hung up meanwhile.
// (A client that only shuts down its sending side looks the same. It gets a response if the query did not have to wait.)
asio::awaitable<std::optional<Response>> run_there(Service::Call& call, const std::atomic<bool>& hung_up,
                                                   MemoryBudget::Share& memory,
                                                   std::chrono::steady_clock::time_point since) {
  const bool waited = std::chrono::steady_clock::now() - since > kAtOnce;
  if (waited && hung_up && call.only_reads()) co_return std::nullopt;
  co_return call.run(hung_up, memory);
}

}  // namespace

// Watches the client while a call runs on the pool.
struct Connection::Watch {
  asio::steady_timer pause;
  bool over = false;
};

Connection::Connection(asio::ip::tcp::socket socket, const ConnectionPlaces::Holder& place,
                       StorageService service, const ConnectionContext& context, StoreCalls* store_calls)
    : stream_(std::move(socket)),
      place_(place),
      context_(context),
      store_calls_(store_calls),
      buffer_(kMaxHeaderBytes + kMaxReadBytes),
      head_share_(context.heads),
      body_share_(context.bodies),
      response_share_(context.responses),
      delayed_share_(context.delayed),
      handshake_share_(context.handshakes),
      secured_share_(context.secured),
      watchdog_(context.timeouts) {
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto remote = stream_.socket().remote_endpoint(ignored);
  remote_address_ = remote.address().to_string();
  request_.remote_address = remote_address_;
  request_.service = service;
  request_.connection = this;
  if (context.trace)
    trace_ =
        std::make_unique<ConnectionTrace>(*context.trace, addresses_of(stream_.socket(), remote_address_));
  enter(State::Idle);
}

void Connection::enter(State state) { watchdog_.enter(state, Watchdog::Clock::now()); }

asio::awaitable<void> Connection::serve() {
  bool ready = !finishing_;
  if (ready && context_.tls)
    ready = co_await secure();  // a statement of its own: GCC 12 breaks `||` before co_await
  if (ready) co_await serve_requests();
  co_await close_gracefully();
  if (holds_much() || context_.tls) context_.has_freed = true;
  close();
}

// Shakes hands for TLS. Returns false if that fails, or if the client speaks plain HTTP. Anybody can begin: what a
// handshake holds is charged to a budget of its own, and those that stall make way while it is short.
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
  const bool has_room = co_await await_room(handshake_share_, kHandshakeBytes);
  if (!has_room || stream_.has_hung_up()) co_return false;
  enter(State::Handshake);  // its time begins when it can go on
  if (trace_) trace_->secure();
  const auto [error] = co_await stream_.async_secure(*context_.tls, kAwait);
  handshake_share_.release();
  secured_share_.charge(kSecuredBytes);
  co_return !error;
}

asio::awaitable<void> Connection::serve_requests() {
  while (!finishing_) {
    MessageReader reader(received_, buffer_);
    enter(State::Idle);
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
  enter(State::Queued);
  asio::steady_timer timer(stream_.get_executor());
  while (place_.is_guest()) {
    if (place_.must_leave()) {
      co_await refuse(Error(ErrorCode::ServerBusy));
      co_return false;
    }
    timer.expires_after(kWatchInterval);
    co_await timer.async_wait(kAwait);
    if (finishing_ || hung_up_ || stream_.has_hung_up()) co_return false;
  }
  enter(State::Head);
  co_return true;
}

// Refuses bytes that are not a request. The connection ends.
asio::awaitable<void> Connection::refuse(const Error& error) {
  const Response response = context_.service.refuse(error, request_.service);
  const ResponseOptions options{.keep_alive = false};
  co_await write(response, options);
}

// Charges the head, and checks where the request ends. Returns false if that is ambiguous.
bool Connection::take_head(MessageReader& reader) {
  charge_head();
  reader.check_framing();
  return !reader.error().failed();
}

// Reads a body. A request that is large, or may become large, is accepted or refused by its head: its body is kept only if
// the request is accepted and there is memory. After a refusal the body is read and dropped, so that the connection can
// serve further requests.
asio::awaitable<bool> Connection::read_body(MessageReader& reader) {
  auto& parser = reader.parser();
  enter(State::Body);
  const auto length = parser.content_length();
  const bool is_large = length && *length > kFreeBytes;
  if (is_large || !length || head_share_.is_held()) accept(parser);
  if (call_ && call_->is_refused()) {
    refuse_early(parser);
  } else if (is_large) {
    const bool has_room = co_await await_room(body_share_, *length);
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
  MemoryBudget::Share& share = head ? head_share_ : body_share_;
  for (;;) {
    if (trace_ && buffer_.size() > 0) trace_->begin();
    const auto need = reader.advance(part, share.is_held());
    if (need == MessageReader::Need::Nothing) co_return !reader.error().failed();
    const bool between_requests = watchdog_.state() == State::Idle || watchdog_.state() == State::Head;
    if (finishing_ && between_requests) {
      reader.fail(http::error::end_of_stream);
      co_return false;
    }
    if (watchdog_.state() == State::Idle && reader.has_begun()) enter(State::Head);
    if (need == MessageReader::Need::Room) {
      const bool has_room = co_await await_room(share, head ? kMaxHeaderBytes : kMaxBodyBytes);
      if (!has_room) {
        reader.fail(asio::error::operation_aborted);
        co_return false;
      }
    }
    const auto space = reader.prepare(part, has_share());
    const auto [error, bytes] = co_await stream_.async_read_some(space, kAwait);
    if (has_share()) watchdog_.note_progress(Watchdog::Clock::now());
    reader.commit(bytes, error);
    if (std::exchange(releasing_buffers_, false) && error == asio::error::operation_aborted && !finishing_) {
      release_buffers();
      continue;
    }
    if (reader.error().failed()) co_return false;
  }
}

// Charges a large head for the memory that it takes, until the response is written.
void Connection::charge_head() {
  if (!head_share_.is_held()) return;
  buffer_.shrink_to_fit();
  head_share_.charge(received_.capacity() + buffer_.capacity());
}

// Waits until the share is granted, in the order of arrival. Returns false if the client hangs up meanwhile, or if the
// server stops before the request is complete.
asio::awaitable<bool> Connection::await_share(MemoryBudget::Share& share, std::size_t bytes) {
  memory_timer_ =
      std::make_shared<asio::steady_timer>(stream_.get_executor(), asio::steady_timer::time_point::max());
  MemoryBudget::Waiter waiter(share, bytes, [timer = memory_timer_] {
    asio::post(timer->get_executor(), [timer] { timer->cancel(); });
  });
  bool granted = waiter.claim();
  while (!granted && !hung_up_ && !(finishing_ && watchdog_.state() == State::Waiting)) {
    co_await memory_timer_->async_wait(kAwait);
    granted = waiter.claim();
  }
  memory_timer_.reset();
  co_return granted;
}

// Waits for memory for a part of a request. Returns false if the connection ends meanwhile.
asio::awaitable<bool> Connection::await_room(MemoryBudget::Share& share, std::size_t bytes) {
  if (share.take(bytes)) co_return true;
  const State reading = watchdog_.state();
  enter(State::Waiting);
  const bool granted = co_await await_share(share, bytes);
  enter(reading);
  co_return granted && !finishing_;
}

void Connection::accept(const RequestParser& parser) {
  parser.view(request_);
  call_.emplace(context_.service, request_);
}

// Renders a refusal at once. The head is not needed any more, so its memory is released before the body comes.
void Connection::refuse_early(RequestParser& parser) {
  refusal_ = call_->run(hung_up_, response_share_);
  report(*refusal_);
  call_.reset();
  if (trace_) trace_->keep_head(request_, parser.is_http_1_0());
  request_.headers.clear();
  received_.release();
  head_share_.release();
  parser.drop_body();
}

// Charges the response. Returns false if there is no memory for it. The response to a change is never refused, because the
// change has happened; nor is a page that has a share, because it exceeds the share by one entity at most.
bool Connection::hold_response(std::size_t bytes) {
  if (bytes <= kFreeBytes) {
    response_share_.release();
    return true;
  }
  if (!response_share_.is_held() && call_->changed_nothing()) return response_share_.take(bytes);
  response_share_.charge(bytes);
  return true;
}

// Runs the request and writes the response. Returns whether the connection serves further requests.
asio::awaitable<bool> Connection::respond(const RequestParser& parser) {
  enter(State::Working);
  if (trace_) trace_->complete(request_, parser.body_bytes(), parser.is_http_1_0());
  std::optional<Response> response = std::exchange(refusal_, std::nullopt);
  if (!response) {
    if (!call_) accept(parser);
    response = co_await answer();
    if (!response) {  // the client hung up
      if (trace_) trace_->end_without_response("the client went away before its request began");
      co_return false;
    }
    if (!hold_response(response->body.size())) response = call_->busy();
    report(*response);
    call_.reset();
  }
  const Interference* const interference = response->interference.get();
  if (interference != nullptr && interference->delay > interference->delay.zero() && hold_apart()) {
    const bool is_there = co_await pause(interference->delay);
    if (!is_there) {
      if (trace_) trace_->end_without_response("the client went away while its answer was delayed");
      co_return false;
    }
  }
  const ResponseOptions options{
      .keep_alive = parser.keep_alive() && !finishing_ && !response->stream && !place_.is_guest(),
      .http_1_0 = parser.is_http_1_0()};
  if (interference != nullptr && interference->ending != Interference::Ending::Complete) {
    co_await end_early(*response, options);
    co_return false;
  }
  const bool written = co_await write(*response, options);
  if (written && response->stream && response->sends_body) co_await write_stream(*response->stream, options);
  response_share_.release();
  body_share_.release();
  head_share_.release();
  delayed_share_.release();
  co_return written&& options.keep_alive;
}

// Runs the call, after the delay that a fault asks for. Returns nullopt if the client hung up before the call began.
asio::awaitable<std::optional<Response>> Connection::answer() {
  const auto delay = call_->is_disturbed() ? call_->meet_faults() : std::chrono::microseconds::zero();
  if (delay > delay.zero()) {
    if (!hold_apart()) {
      Response busy = context_.service.refuse(Error(ErrorCode::ServerBusy), request_.service);
      busy.explanation = "The memory for delayed requests is used up.";
      co_return busy;
    }
    const bool is_there = co_await pause(delay);
    if (!is_there) {
      call_->give_up();
      co_return std::nullopt;
    }
  }
  std::optional<Response> response;  // a statement of its own: GCC 12 breaks `?:` with co_await
  if (call_->lane() == Lane::Connection) {
    response = call_->run(hung_up_, response_share_);
  } else {
    response = co_await run_call();
  }
  co_return response;
}

// Makes the event of the call, and hands it to each sink.
void Connection::report(const Response& response) {
  const auto duration = Watchdog::Clock::now() - watchdog_.since();
  const RequestEvent event =
      call_->event(response, std::chrono::duration_cast<std::chrono::microseconds>(duration));
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
  trace_->fail(request_, parser.body_bytes(), parser.is_http_1_0(), unread,
               reason_of(reader.error(), is_refused));
  if (!is_refused) trace_->end_without_response();
}

// Runs a call that waits. A call that faults may delay needs a thread for itself. Returns nullopt as run_watched().
asio::awaitable<std::optional<Response>> Connection::run_call() {
  std::optional<Response> response;
  if (call_->lane() != Lane::Database || call_->is_disturbed()) {
    response = co_await run_watched();
  } else {
    co_await store_calls_->run([&] { response = call_->run(hung_up_, response_share_); });
  }
  co_return response;
}

// Runs the call on the threads of its lane. Returns nullopt if the client hung up before a query began.
asio::awaitable<std::optional<Response>> Connection::run_watched() {
  Watch its_client{asio::steady_timer(stream_.get_executor())};
  co_return co_await (run_on_lane(its_client) && watch(its_client));
}

// A query over many partitions begins once there is memory for the first bytes of its page. A query within a partition does
// not wait for memory: if memory is short, its page ends early.
asio::awaitable<std::optional<Response>> Connection::run_on_lane(Watch& watch) {
  std::optional<Response> response;
  bool has_room = true;
  if (call_->lane() == Lane::Table) has_room = co_await await_share(response_share_, PageBudget::kFirstBytes);
  if (has_room)
    response = co_await asio::co_spawn(
        context_.lanes.of(call_->lane()),
        run_there(*call_, hung_up_, response_share_, std::chrono::steady_clock::now()), asio::use_awaitable);
  watch.over = true;
  watch.pause.cancel();
  stream_.cancel();
  co_return response;
}

// Notices that the client hangs up while a call runs. Pipelined requests and TLS's close_notify are bytes before the end of
// the stream. They stay unread, so the end behind them must be polled for.
asio::awaitable<void> Connection::watch(Watch& watch) {
  co_await stream_.socket().async_wait(Stream::Socket::wait_read, kAwait);
  while (!watch.over && !hung_up_) {
    if (stream_.has_hung_up()) {
      hung_up_ = true;
      if (memory_timer_) memory_timer_->cancel();
      co_return;
    }
    watch.pause.expires_after(kWatchInterval);
    co_await watch.pause.async_wait(kAwait);
  }
}

asio::awaitable<bool> Connection::write(const Response& response, const ResponseOptions& options) {
  enter(State::Writing);
  outgoing_.clear();
  append_response_head(outgoing_, response, options);
  const std::string_view body = response.sends_body ? std::string_view(response.body) : "";
  const std::string_view tail = response_tail(response, options);
  boost::system::error_code error;
  std::size_t bytes = 0;
  if (body.size() <= kMaxJoinedBytes) {  // one buffer and one TLS record cost less than two without the copy
    outgoing_.append(body).append(tail);
    std::tie(error, bytes) = co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
  } else {
    const std::array<asio::const_buffer, 3> buffers{asio::buffer(outgoing_), asio::buffer(body),
                                                    asio::buffer(tail)};
    const auto next = [this](const boost::system::error_code& failure, std::size_t) {
      watchdog_.note_progress(Watchdog::Clock::now());
      return failure ? 0 : kMaxWrittenBytes;
    };
    std::tie(error, bytes) = co_await asio::async_write(stream_, buffers, next, kAwait);
  }
  if (trace_) trace_->end_with_response(outgoing_, body, response.error, watchdog_.since(), !error);
  co_return !error;
}

// Writes the parts of a stream as they come, until the client hangs up or the server stops. For HTTP/1.0, which has no
// chunks, the stream is empty.
asio::awaitable<void> Connection::write_stream(BodyStream& stream, const ResponseOptions& options) {
  if (options.http_1_0) co_return;
  streaming_ = true;
  while (!finishing_ && !hung_up_ && !place_.must_leave()) {
    const std::string part = stream.next();
    enter(State::Writing);  // the timeout is that of one part
    if (!part.empty()) {
      outgoing_.clear();
      append_chunk(outgoing_, part);
      const auto [error, bytes] = co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
      if (error) co_return;
    }
    const bool is_there = co_await pause(kStreamInterval);
    if (!is_there) co_return;
  }
  co_await asio::async_write(stream_, asio::buffer(kLastChunk), kAwait);
}

// Waits as long as a fault or a simulated behaviour delays the request. Ends early if the server stops. Returns false if
// the client hangs up meanwhile.
asio::awaitable<bool> Connection::pause(std::chrono::microseconds time) {
  const auto begin = Watchdog::Clock::now();
  const auto end = begin + time;
  for (auto now = begin; now < end && !finishing_ && !hung_up_; now = Watchdog::Clock::now()) {
    const Watchdog::Clock::duration interval =
        now - begin < kLongWatchInterval ? kWatchInterval : kLongWatchInterval;
    pause_timer_.emplace(stream_.get_executor(), std::min(end - now, interval));
    co_await pause_timer_->async_wait(kAwait);
    if (stream_.has_hung_up()) hung_up_ = true;
  }
  pause_timer_.reset();
  co_return !hung_up_;
}

// Moves what a delayed request holds to the budget of delayed ones, so that it does not hold up others. Returns false if
// there is no room.
bool Connection::hold_apart() {
  const std::size_t bytes = head_share_.bytes() + body_share_.bytes() + response_share_.bytes();
  if (bytes == 0) return true;
  if (!delayed_share_.grow(delayed_share_.bytes() + bytes)) return false;
  for (MemoryBudget::Share* const share : {&head_share_, &body_share_, &response_share_}) share->release();
  return true;
}

// Ends the connection as a fault rule says: with a part of the response, or without any.
asio::awaitable<void> Connection::end_early(const Response& response, const ResponseOptions& options) {
  enter(State::Writing);
  outgoing_.clear();
  const Interference& interference = *response.interference;
  if (interference.ending == Interference::Ending::Cut) {
    append_response_head(outgoing_, response, options);
    outgoing_.append(response.body).append(response_tail(response, options));
    outgoing_.resize(std::min(outgoing_.size(), interference.cut_after));
    co_await asio::async_write(stream_, asio::buffer(outgoing_), kAwait);
  }
  if (trace_) trace_->end_without_response("the fault rule " + interference.name + " ended the connection");
  if (interference.ending == Interference::Ending::Reset) {
    boost::system::error_code ignored;
    stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
    close();  // sends RST
  }
}

// Shuts down sending, then drains what the client still sends: closing a socket with unread bytes would reset the connection
// before the client has read its response.
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

void Connection::sweep(Watchdog::Clock::time_point now) {
  // A call at work has no timeout, and charges its response on another thread: read no share then.
  if (watchdog_.state() == State::Working) return;
  const auto is_short = [](const MemoryBudget::Share& share, const MemoryBudget& budget) {
    return share.is_held() && budget.is_short();
  };
  const Watchdog::ConnectionUse use{
      .finishing = finishing_,
      .holds_buffers = holds_much(),
      .others_wait = context_.places.has_guests() || is_short(secured_share_, context_.secured),
      .must_leave = place_.must_leave(),
      .request_is_short = is_short(head_share_, context_.heads) || is_short(body_share_, context_.bodies) ||
                          is_short(handshake_share_, context_.handshakes),
      .response_is_short = is_short(response_share_, context_.responses)};
  switch (watchdog_.check(now, use)) {
    case Watchdog::Verdict::Wait:
      return;
    case Watchdog::Verdict::ReleaseBuffers:
      releasing_buffers_ = true;
      return stream_.cancel();  // the pending read uses a buffer
    case Watchdog::Verdict::Finish:
      return finish();
    case Watchdog::Verdict::Close:
      return close();
  }
}

bool Connection::holds_much() const {
  return buffer_.capacity() + received_.capacity() + outgoing_.capacity() > kIdleBytes;
}

void Connection::release_buffers() {
  buffer_.shrink_to_fit();
  received_.release();
  std::string().swap(outgoing_);
  context_.has_freed = true;
}

void Connection::finish() {
  finishing_ = true;
  const State state = watchdog_.state();
  if (state == State::Handshake) close();
  if (state == State::Waiting && memory_timer_) memory_timer_->cancel();
  if (pause_timer_) pause_timer_->cancel();
  if (state == State::Idle || state == State::Head || state == State::Closing || streaming_)
    stream_.cancel();  // the pending read, drain or part would wait for the client
}

void Connection::close() {
  hung_up_ = true;  // a call at work may stop
  if (memory_timer_) memory_timer_->cancel();
  if (pause_timer_) pause_timer_->cancel();
  stream_.close();
}

}  // namespace rocktable
