#include "server/http/port_holder.h"

#include <algorithm>
#include <sstream>

#include "base/platform/listening_sockets.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;
namespace ip = boost::asio::ip;

template <class Address>
ip::tcp::endpoint to_endpoint(const ListeningSocket& socket) {
  typename Address::bytes_type bytes;
  std::copy_n(socket.address.begin(), bytes.size(), bytes.begin());
  return {Address(bytes), socket.port};
}

ip::tcp::endpoint endpoint_of(const ListeningSocket& socket) {
  constexpr std::size_t kV4Bytes = 4;
  return socket.address.size() == kV4Bytes ? to_endpoint<ip::address_v4>(socket) : to_endpoint<ip::address_v6>(socket);
}

// Whether a socket that listens at `at` keeps others from listening at `endpoint`. [::] includes IPv4, unless its
// socket is set to IPv6 only, as those of this server are.
bool is_in_the_way(const ip::tcp::endpoint& at, const ip::tcp::endpoint& endpoint) {
  if (at.port() != endpoint.port()) return false;
  if (at.address() == endpoint.address()) return true;
  const bool same_family = at.address().is_v4() == endpoint.address().is_v4();
  if (at.address().is_unspecified()) return same_family || at.address().is_v6();
  return endpoint.address().is_unspecified() && same_family;
}

std::string to_text(const ip::tcp::endpoint& endpoint) {
  std::ostringstream out;
  out << endpoint;
  return out.str();
}

}  // namespace

std::optional<PortHolder> find_port_holder(const ip::tcp::endpoint& endpoint, const fs::path& proc) {
  for (const auto& socket : listening_sockets(proc)) {
    const auto at = endpoint_of(socket);
    if (!is_in_the_way(at, endpoint)) continue;
    const auto process = process_of(socket, proc).value_or(NamedProcess());
    return PortHolder{at, process.id, process.program};
  }
  return std::nullopt;
}

std::string taken_port_message(const ip::tcp::endpoint& endpoint, const std::string& advice) {
  std::string out = "the port is in use: " + to_text(endpoint);
  if (const auto holder = find_port_holder(endpoint)) {
    out += " is taken by ";
    out += holder->pid == 0 ? "another program" : holder->program + " (pid " + std::to_string(holder->pid) + ")";
    if (holder->listens_at != endpoint) out += ", which listens at " + to_text(holder->listens_at);
  }
  return out + "; " + advice;
}

}  // namespace rocktable
