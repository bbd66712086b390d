// One client's connection: reads requests, runs them through the service, and writes the responses.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/events/connection_trace.h"
#include "server/events/request_event.h"
#include "server/http/lanes.h"
#include "server/http/message_reader.h"
#include "server/http/store_calls.h"
#include "server/http/stream.h"
#include "server/http/watchdog.h"
#include "server/limits/connection_places.h"
#include "server/limits/memory_budget.h"
#include "server/limits/timeouts.h"
#include "server/service.h"

namespace rocktable {

// What all connections of a server share.
struct ConnectionContext {
  Service& service;
  Lanes& lanes;  // for calls that may block
  std::vector<RequestEventSink*> event_sinks;
  Trace* trace;  // null: none
  Timeouts timeouts;
  boost::asio::ssl::context* tls;  // null: plain HTTP
  MemoryBudget& heads;             // for large heads, before the request is accepted
  MemoryBudget& bodies;            // for large bodies of accepted requests
  MemoryBudget& responses;         // for large responses
  MemoryBudget& delayed;     // for large requests and responses that a fault or a simulated behaviour delays
  MemoryBudget& handshakes;  // for TLS connections that are not yet secure
  MemoryBudget& secured;     // for those that are: it refuses nobody; beyond it, idle ones make way
  ConnectionPlaces& places;
  std::atomic<bool>& has_freed;  // set after much memory went back to the heap
};

// Lives on one thread. Everything except the calls on the pool runs there, so nothing is locked.
class Connection {
 public:
  // `place`: of this connection. `service`: the service of its port.
  // `store_calls`: of its thread; null: the store does not wait for another machine.
  Connection(boost::asio::ip::tcp::socket socket, const ConnectionPlaces::Holder& place,
             StorageService service, const ConnectionContext& context, StoreCalls* store_calls);

  // Serves requests, one at a time, until the client closes, idles, breaks HTTP, or asks to close.
  boost::asio::awaitable<void> serve();

  // Closes the connection if it has waited for its client for too long, and releases its memory if it idles. Called about
  // once a second: one sweep over all connections costs less than a timer for each read.
  void sweep(Watchdog::Clock::time_point now);

  // Ends the connection after the current response is written, or at once if there is none.
  void finish();

  void close();

 private:
  using State = ConnectionState;

  struct Watch;

  boost::asio::awaitable<bool> secure();
  boost::asio::awaitable<void> serve_requests();
  boost::asio::awaitable<bool> feed(MessageReader& reader, MessageReader::Part part);
  boost::asio::awaitable<bool> await_place(MessageReader& reader);
  boost::asio::awaitable<bool> read_body(MessageReader& reader);
  boost::asio::awaitable<bool> await_share(MemoryBudget::Share& share, std::size_t bytes);
  boost::asio::awaitable<bool> await_room(MemoryBudget::Share& share, std::size_t bytes);
  boost::asio::awaitable<bool> respond(const RequestParser& parser);
  boost::asio::awaitable<std::optional<Response>> answer();
  boost::asio::awaitable<std::optional<Response>> run_call();
  boost::asio::awaitable<std::optional<Response>> run_watched();
  boost::asio::awaitable<std::optional<Response>> run_on_lane(Watch& watch);
  void accept(const RequestParser& parser);
  void refuse_early(RequestParser& parser);
  bool take_head(MessageReader& reader);
  void charge_head();
  bool has_share() const { return head_share_.is_held() || body_share_.is_held(); }
  bool hold_response(std::size_t bytes);
  bool holds_much() const;
  void release_buffers();
  void report(const Response& response);
  void trace_broken_request(MessageReader& reader, bool is_refused);
  boost::asio::awaitable<void> watch(Watch& watch);
  boost::asio::awaitable<bool> write(const Response& response, const ResponseOptions& options);
  boost::asio::awaitable<void> write_stream(BodyStream& stream, const ResponseOptions& options);
  boost::asio::awaitable<bool> pause(std::chrono::microseconds time);
  bool hold_apart();
  boost::asio::awaitable<void> end_early(const Response& response, const ResponseOptions& options);
  boost::asio::awaitable<void> refuse(const Error& error);
  boost::asio::awaitable<void> close_gracefully();
  void enter(State state);

  Stream stream_;
  const ConnectionPlaces::Holder& place_;
  const ConnectionContext& context_;
  StoreCalls* const store_calls_;
  boost::beast::flat_buffer buffer_;  // may hold the beginning of the next request
  RequestBuffers received_;           // of the current request
  Request request_;                   // views of it
  std::optional<Service::Call> call_;
  std::optional<Response> refusal_;  // of the current request, decided by its head
  std::string outgoing_;             // the response, or its beginning
  MemoryBudget::Share head_share_;
  MemoryBudget::Share body_share_;
  MemoryBudget::Share response_share_;
  MemoryBudget::Share delayed_share_;
  MemoryBudget::Share handshake_share_;
  MemoryBudget::Share secured_share_;
  std::string remote_address_;
  std::unique_ptr<ConnectionTrace> trace_;  // null: none
  Watchdog watchdog_;
  std::shared_ptr<boost::asio::steady_timer>
      memory_timer_;  // cancelled to wake up a coroutine that waits for memory
  std::optional<boost::asio::steady_timer> pause_timer_;  // of a simulated delay; cancelled to end it
  bool streaming_ = false;                                // writes a stream, which does not end by itself
  bool finishing_ = false;
  bool releasing_buffers_ = false;     // the wait for a request was cancelled only to release memory
  std::atomic<bool> hung_up_ = false;  // the client hung up during a call; read by the pool's threads
};

}  // namespace rocktable
