// How a connection waits for memory and for time. It watches its client meanwhile: a wait ends early if that hangs up.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "server/http/connection_machine.h"
#include "server/http/stream.h"
#include "server/limits/memory_budget.h"

namespace rocktable {

// How often something that waits looks whether its client is still there.
inline constexpr std::chrono::milliseconds kWatchInterval{50};

// Both must outlive it.
class ConnectionWaits {
 public:
  ConnectionWaits(Stream& stream, ConnectionMachine& machine) : stream_(stream), machine_(machine) {}

  // Waits until the share is granted, in the order of its budget. Returns false if the client hangs up meanwhile, or if
  // the server stops before the request is complete.
  boost::asio::awaitable<bool> for_share(MemoryBudget::Share& share, std::size_t bytes);

  // Waits that long, or until the server stops. Returns false if the client hangs up meanwhile.
  boost::asio::awaitable<bool> for_time(std::chrono::microseconds time);

  // End the waits of now.
  void cancel_memory();
  void cancel_time();

 private:
  Stream& stream_;
  ConnectionMachine& machine_;
  std::shared_ptr<boost::asio::steady_timer> memory_timer_;  // other threads may wake it up
  std::optional<boost::asio::steady_timer> pause_timer_;
};

}  // namespace rocktable
