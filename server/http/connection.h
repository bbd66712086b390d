// One client's connection: reads requests, runs them through the service, and writes the responses.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/events/connection_trace.h"
#include "server/events/request_event.h"
#include "server/executors/executors.h"
#include "server/executors/store_calls.h"
#include "server/http/call_runner.h"
#include "server/http/connection_machine.h"
#include "server/http/connection_memory.h"
#include "server/http/connection_waits.h"
#include "server/http/message_reader.h"
#include "server/http/response_writer.h"
#include "server/http/stream.h"
#include "server/limits/connection_places.h"
#include "server/limits/timeouts.h"
#include "server/service.h"

namespace rocktable {

// What all connections of a server share.
struct ConnectionContext {
  Service& service;
  Executors& executors;  // for calls that may block
  std::vector<RequestEventSink*> event_sinks;
  Trace* trace;  // null: none
  Timeouts timeouts;
  boost::asio::ssl::context* tls;  // null: plain HTTP
  ConnectionBudgets& budgets;
  ConnectionPlaces& places;
  std::atomic<bool>& has_freed;  // set after much memory went back to the heap
  // The server ends soon: each response asks its client to come again on another connection.
  const std::atomic<bool>& is_draining;
};

// Lives on one thread. Everything except the calls on the pool runs there, so nothing is locked.
class Connection {
 public:
  // `place`: of this connection. `service`: the service of its port.
  // `store_calls`: of its thread; null: the store does not wait for another machine.
  Connection(boost::asio::ip::tcp::socket socket, const ConnectionPlaces::Holder& place, StorageService service,
             const ConnectionContext& context, StoreCalls* store_calls);

  // Serves requests, one at a time, until the client closes, idles, breaks HTTP, or asks to close.
  boost::asio::awaitable<void> serve();

  // Closes the connection if it has waited for its client for too long, and releases its memory if it idles. Called
  // about once a second: one sweep over all connections costs less than a timer for each read.
  void sweep(ConnectionMachine::Clock::time_point now);

  // Ends the connection after the current response is written, or at once if there is none.
  void finish();

  void close();

 private:
  using State = ConnectionState;

  // --- Reading
  boost::asio::awaitable<bool> secure();
  boost::asio::awaitable<void> serve_requests();
  boost::asio::awaitable<bool> feed(MessageReader& reader, MessageReader::Part part);
  boost::asio::awaitable<bool> await_place(MessageReader& reader);
  boost::asio::awaitable<bool> read_body(MessageReader& reader);
  boost::asio::awaitable<bool> await_room(MemoryBudget::Share& share, std::size_t bytes);
  bool take_head(MessageReader& reader);
  void charge_head();
  boost::asio::awaitable<void> close_gracefully();

  // --- Answering
  boost::asio::awaitable<void> accept();
  boost::asio::awaitable<bool> respond(const RequestParser& parser);
  boost::asio::awaitable<void> refuse_early(RequestParser& parser);
  boost::asio::awaitable<void> refuse(const Error& error);

  // --- What observers get
  void report(const Response& response);
  void trace_broken_request(MessageReader& reader, bool is_refused);

  bool holds_much() const;
  void release_buffers();

  Stream stream_;
  const ConnectionPlaces::Holder& place_;
  const ConnectionContext& context_;
  const std::string remote_address_;
  const std::unique_ptr<ConnectionTrace> trace_;  // null: none
  ConnectionMachine machine_;
  ConnectionMemory memory_;
  ConnectionWaits waits_;
  CallRunner runner_;
  ResponseWriter writer_;
  boost::beast::flat_buffer buffer_;  // may hold the beginning of the next request
  RequestBuffers received_;           // of the current request
  Request request_;                   // views of it
  CallHolder call_;
  std::optional<Response> refusal_;  // of the current request, decided by its head
};

}  // namespace rocktable
