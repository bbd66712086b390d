// Accepts the connections of a listening socket.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>

namespace rocktable {

// Who takes the next connection.
struct ConnectionTaker {
  boost::asio::io_context* context = nullptr;  // the connection belongs to it; null: none can be taken now
  std::function<void(boost::asio::ip::tcp::socket)> take = {};
};

// Accepts connections until the socket is closed, in `context`. Asks `next` before it waits for each one. Pauses while
// none can be taken, and when accepting fails (too many open files): the listen queue holds further clients, and costs
// nothing. `acceptor`, and what `next` refers to, must live while `context` runs.
void start_accepting(boost::asio::io_context& context, boost::asio::ip::tcp::acceptor& acceptor,
                     std::chrono::milliseconds pause, std::function<ConnectionTaker()> next);

}  // namespace rocktable
