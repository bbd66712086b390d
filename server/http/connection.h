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

#include "server/events/access_log.h"
#include "server/events/connection_trace.h"
#include "server/http/lanes.h"
#include "server/http/request_parser.h"
#include "server/http/stream.h"
#include "server/limits/memory_budget.h"
#include "server/limits/timeouts.h"
#include "server/service.h"

namespace rocktable {

// What all connections of a server share.
struct ConnectionContext {
  Service& service;
  Lanes& lanes;  // for calls that may block
  AccessLog& access_log;
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
  void sweep(std::chrono::steady_clock::time_point now);

  // Ends the connection once the answer at work is written; at once where there is none.
  void finish();

  void close();

 private:
  enum class State { Handshake, Idle, Head, Body, Waiting, Working, Writing, Closing };

  struct Message;
  struct Watch;

  boost::asio::awaitable<bool> secure();
  boost::asio::awaitable<void> serve_requests();
  boost::asio::awaitable<bool> read(Message& message);
  boost::asio::awaitable<bool> feed(Message& message, bool header_alone);
  boost::asio::awaitable<bool> read_body(Message& message);
  boost::asio::awaitable<bool> await_share(MemoryBudget::Share& share, std::size_t bytes);
  boost::asio::awaitable<bool> await_room(MemoryBudget::Share& share, std::size_t bytes);
  boost::asio::awaitable<bool> answer(Message& message);
  boost::asio::awaitable<std::optional<Response>> run_watched();
  boost::asio::awaitable<std::optional<Response>> run_on_lane(Watch& watch);
  void accept(Message& message);
  void refuse_early(Message& message);
  void charge_head();
  bool needs_room(const Message& message, bool header_alone) const;
  bool has_share() const { return head_share_.is_held() || body_share_.is_held(); }
  bool hold_answer(std::size_t bytes);
  bool is_late(std::chrono::steady_clock::time_point now) const;
  bool holds_much() const;
  void give_memory_back();
  void log(const Response& response);
  void trace_broken_request(Message& message, bool is_refused);
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
  State state_ = State::Idle;
  std::chrono::steady_clock::time_point since_;  // of that state
  std::chrono::steady_clock::time_point moved_;  // when the client last sent or took bytes of something large
  std::shared_ptr<boost::asio::steady_timer> turn_;  // cancelled to wake up who waits for memory
  bool finishing_ = false;
  bool releasing_buffers_ = false;  // waits for a request no more, but to give back memory before it waits on
  std::atomic<bool> hung_up_ = false;  // seen while a call was at work; read by the pool's threads
};

}  // namespace rocktable
