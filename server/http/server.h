// The listeners and the I/O threads, and their orderly stop.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/events/access_log.h"
#include "server/http/acceptors.h"
#include "server/limits/client_limits.h"
#include "server/service.h"

namespace rocktable {

class Trace;

struct ServerOptions {
  std::vector<ListenAddress> listen = {ListenAddress()};  // the table service first
  ClientLimits limits = {};
  std::shared_ptr<boost::asio::ssl::context> tls = nullptr;  // null: plain HTTP
  // A call of a store on another machine waits at most this long for its turn.
  std::chrono::seconds store_timeout{10};
  // After a signal, the server is not ready, and ends connections with their next response, for this long before it
  // stops: who sends requests to it can turn away.
  std::chrono::seconds drain{0};
};

class Server {
 public:
  // Listens. From now on clients can connect, and wait for run(). SIGINT and SIGTERM are kept for run()
  // (base/platform/stop_requests.h). Throws ServerError.
  explicit Server(const ServerOptions& options);
  ~Server();

  // The port of a service, by its index in ServerOptions::listen.
  std::uint16_t port(std::size_t place = 0) const;
  // The first address that it listens on, as in URLs: `127.0.0.1`, `[::1]`.
  std::string address(std::size_t place = 0) const;
  // All addresses of the first service. 0.0.0.0 and :: stand for all addresses of the machine.
  std::vector<boost::asio::ip::address> addresses() const;

  // Whether SIGINT or SIGTERM came.
  bool is_stop_asked() const;

  // Serves until SIGINT, SIGTERM (and ServerOptions::drain after it) or stop(). Then accepts no more connections, lets
  // current requests finish for up to six seconds (a query takes at most five), and returns. All referents must outlive
  // the call. `trace` may be null.
  void run(Service& service, AccessLog& access_log, Trace* trace = nullptr);

  // Thread-safe.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rocktable
