// The sockets that listen at a host and port.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/request/request.h"

namespace rocktable {

// Where one service listens.
struct ListenAddress {
  StorageService service = StorageService::Table;
  std::string host;            // name or address; empty: 127.0.0.1, and [::1] if the machine has it
  std::uint16_t port = 10002;  // 0: any free one
  std::string advice = {};     // for the user if the port is taken; empty: use port 0
};

// The server cannot listen. The message is a sentence for the user.
class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Listens on all addresses of the host, with the same port. The first one must succeed, the others only if the machine
// has their address. Throws ServerError.
std::vector<boost::asio::ip::tcp::acceptor> open_acceptors(boost::asio::io_context& context,
                                                           const ListenAddress& where);

// `127.0.0.1`, `[::1]`
std::string address_in_urls(const boost::asio::ip::address& address);

}  // namespace rocktable
