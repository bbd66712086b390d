#include "server/http/acceptors.h"

#include <algorithm>
#include <boost/asio/ip/v6_only.hpp>

#include "base/platform/listening_sockets.h"
#include "base/platform/sockets.h"
#include "base/text.h"
#include "server/http/port_holder.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr int kPortTries = 20;

const char* port_flag(StorageService service) {
  switch (service) {
    case StorageService::Blob:
      return "--blobPort";
    case StorageService::Queue:
      return "--queuePort";
    case StorageService::Table:
      break;
  }
  return "--tablePort";
}

std::string advice_of(const ListenAddress& where) {
  return where.advice.empty() ? std::string(port_flag(where.service)) + " 0 picks a free one" : where.advice;
}

// Whether another socket keeps this one from its address. Some systems then say that access is denied.
bool is_taken(const tcp::endpoint& endpoint, const boost::system::error_code& error) {
  return error == asio::error::address_in_use ||
         (error == asio::error::access_denied && find_port_holder(endpoint).has_value());
}

// Why the user may not listen on a port below 1024, and what to do.
std::string about_low_port(std::uint16_t port) {
  const std::string number = std::to_string(port);
  return "port " + number + " is for root; `sudo sysctl net.ipv4.ip_unprivileged_port_start=" + number +
         "` opens it for all, until the next boot";
}

std::vector<tcp::endpoint> endpoints_of(asio::io_context& context, const ListenAddress& where) {
  // localhost means this machine, whatever its resolver says (RFC 6761).
  if (where.host.empty() || equals_ignoring_case(where.host, "localhost"))
    return {{asio::ip::address_v4::loopback(), where.port}, {asio::ip::address_v6::loopback(), where.port}};
  std::string host = where.host;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  tcp::resolver resolver(context);
  std::vector<tcp::endpoint> out;
  for (const auto& entry : resolver.resolve(host, std::to_string(where.port), tcp::resolver::passive, error)) {
    if (std::find(out.begin(), out.end(), entry.endpoint()) == out.end()) out.push_back(entry.endpoint());
  }
  if (error || out.empty()) throw ServerError("cannot resolve the host " + where.host);
  return out;
}

// Sets `tried` to the last endpoint. Throws boost::system::system_error.
std::vector<tcp::acceptor> bound_acceptors(asio::io_context& context, const std::vector<tcp::endpoint>& endpoints,
                                           tcp::endpoint& tried) {
  std::vector<tcp::acceptor> acceptors;
  for (tcp::endpoint endpoint : endpoints) {
    if (endpoint.port() == 0 && !acceptors.empty()) endpoint.port(acceptors.front().local_endpoint().port());
    tried = endpoint;
    try {
      tcp::acceptor acceptor(context, endpoint.protocol());
      claim_address(static_cast<std::uintptr_t>(acceptor.native_handle()));
      if (endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(true));
      acceptor.bind(endpoint);
      acceptor.listen();
      acceptors.push_back(std::move(acceptor));
    } catch (const boost::system::system_error& error) {
      if (acceptors.empty() || is_taken(endpoint, error.code())) throw;
    }
  }
  return acceptors;
}

}  // namespace

std::vector<tcp::acceptor> open_acceptors(asio::io_context& context, const ListenAddress& where) {
  tcp::endpoint tried;
  for (int attempt = 1;; ++attempt) {
    try {
      return bound_acceptors(context, endpoints_of(context, where), tried);
    } catch (const boost::system::system_error& error) {
      const bool busy = is_taken(tried, error.code());
      if (busy && where.port == 0 && attempt < kPortTries) continue;  // free at one address, busy at the other
      if (busy) throw ServerError(taken_port_message(tried, advice_of(where)));
      const std::string at = (where.host.empty() ? "127.0.0.1" : where.host) + ":" + std::to_string(where.port);
      const bool root_only = error.code() == asio::error::access_denied && is_port_of_root(where.port);
      throw ServerError("cannot listen at " + at + ": " +
                        (root_only ? about_low_port(where.port) : error.code().message()));
    }
  }
}

std::string address_in_urls(const asio::ip::address& address) {
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

}  // namespace rocktable
