// One client's connection: reads requests, has them answered, writes the answers.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/events/connection_trace.h"
#include "server/events/request_event.h"
#include "server/http/lanes.h"
#include "server/http/message_reader.h"
#include "server/http/stream.h"
#include "server/http/watchdog.h"
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
  MemoryBudget& heads;             // of large requests, which nobody has judged yet
  MemoryBudget& bodies;            // of requests that are accepted
  MemoryBudget& answers;           // for large ones
  std::atomic<bool>& has_freed;    // set where much memory went back to the heap
};

// Lives on one thread: everything but the calls on the pool runs there, so nothing is locked.
class Connection {
 public:
  // `service`: which one its port stands for.
  Connection(boost::asio::ip::tcp::socket socket, StorageService service, const ConnectionContext& context);

  // Until the client closes, idles, breaks HTTP, or asks to close. One at a time.
  boost::asio::awaitable<void> serve();

  // Closes the connection where it has waited for its client for too long, and gives back its memory where it idles.
  // Called about once a second: one sweep over all connections costs less than a timer for each read.
  void sweep(Watchdog::Clock::time_point now);

  // Ends the connection once the answer at work is written; at once where there is none.
  void finish();

  void close();

 private:
  using State = ConnectionState;

  struct Watch;

  boost::asio::awaitable<bool> secure();
  boost::asio::awaitable<void> serve_requests();
  boost::asio::awaitable<bool> read(MessageReader& reader);
  boost::asio::awaitable<bool> feed(MessageReader& reader, MessageReader::Part part);
  boost::asio::awaitable<bool> read_body(MessageReader& reader);
  boost::asio::awaitable<bool> await_share(MemoryBudget::Share& share, std::size_t bytes);
  boost::asio::awaitable<bool> await_room(MemoryBudget::Share& share, std::size_t bytes);
  boost::asio::awaitable<bool> answer(const RequestParser& parser);
  boost::asio::awaitable<std::optional<Response>> run_watched();
  boost::asio::awaitable<std::optional<Response>> run_on_lane(Watch& watch);
  void accept(const RequestParser& parser);
  void refuse_early(RequestParser& parser);
  void charge_head();
  bool has_share() const { return head_share_.is_held() || body_share_.is_held(); }
  bool hold_answer(std::size_t bytes);
  bool holds_much() const;
  void release_buffers();
  void report(const Response& response);
  void trace_broken_request(MessageReader& reader, bool is_refused);
  boost::asio::awaitable<void> watch(Watch& watch);
  boost::asio::awaitable<bool> write(const Response& response, const Delivery& delivery);
  boost::asio::awaitable<void> refuse(const Error& error);
  boost::asio::awaitable<void> close_gracefully();
  void enter(State state);

  Stream stream_;
  const ConnectionContext& context_;
  boost::beast::flat_buffer buffer_;  // may hold the start of the next request
  RequestBuffers received_;           // of the request at work
  Request request_;                   // views of it
  std::optional<Service::Call> call_;
  std::optional<Response> refusal_;  // of the request at work, judged by its head
  std::string outgoing_;             // the answer, or its start
  MemoryBudget::Share head_share_;
  MemoryBudget::Share body_share_;
  MemoryBudget::Share answer_share_;
  std::string remote_address_;
  std::unique_ptr<ConnectionTrace> trace_;  // null: none
  Watchdog watchdog_;
  std::shared_ptr<boost::asio::steady_timer> turn_;  // cancelled to wake up who waits for memory
  bool finishing_ = false;
  bool releasing_buffers_ = false;  // waits for a request no more, but to give back memory before it waits on
  std::atomic<bool> hung_up_ = false;  // seen while a call was at work; read by the pool's threads
};

}  // namespace rocktable
