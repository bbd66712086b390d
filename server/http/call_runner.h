// Runs the calls of a connection, each where its executor says, and watches the client meanwhile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>

#include "server/executors/executors.h"
#include "server/executors/store_calls.h"
#include "server/http/connection_machine.h"
#include "server/http/connection_memory.h"
#include "server/http/connection_waits.h"
#include "server/http/stream.h"
#include "server/service.h"

namespace rocktable {

// What it refers to must outlive it.
class CallRunner {
 public:
  // `store_calls`: of its thread; null: the store does not wait for another machine.
  CallRunner(const Service& service, Executors& executors, StoreCalls* store_calls, Stream& stream,
             ConnectionMachine& machine, ConnectionMemory& memory, ConnectionWaits& waits)
      : service_(service),
        executors_(executors),
        store_calls_(store_calls),
        stream_(stream),
        machine_(machine),
        memory_(memory),
        waits_(waits) {}

  // Accepts the request in `call`. Returns false if that may wait for a store on another machine: then use accept(),
  // which returns false if the request has waited for too long, and is not accepted.
  bool accept_at_once(const Request& request, CallHolder& call) const;
  boost::asio::awaitable<bool> accept(const Request& request, CallHolder& call) const;

  // Returns the response of a call that waits for nothing. Returns nullopt for others: then use run().
  std::optional<Response> run_at_once(Call& call, std::chrono::microseconds delay) const;

  // Runs the call after a delay, which does not count as its time. Returns nullopt if the client hung up before the
  // call began.
  boost::asio::awaitable<std::optional<Response>> run(Call& call, std::chrono::microseconds delay);

 private:
  struct Watch;

  // When the time of the running call began.
  std::chrono::steady_clock::time_point since() const { return machine_.since() + delay_; }

  boost::asio::awaitable<std::optional<Response>> run_now(Call& call);
  boost::asio::awaitable<std::optional<Response>> run_as_store_call(Call& call);
  boost::asio::awaitable<std::optional<Response>> run_watched(Call& call);
  boost::asio::awaitable<std::optional<Response>> run_on_executor(Call& call);
  boost::asio::awaitable<void> watch(Watch& watch);

  const Service& service_;
  Executors& executors_;
  StoreCalls* const store_calls_;
  Stream& stream_;
  ConnectionMachine& machine_;
  ConnectionMemory& memory_;
  ConnectionWaits& waits_;
  std::chrono::steady_clock::duration delay_{};  // of the running call, as long as it was
};

}  // namespace rocktable
