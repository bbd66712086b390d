// Where the database is: the hosts that its URL names. libpq would try them one after the other by itself, but only
// while it blocks its thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rocktable {

// The parameters of a connection to one host, as libpq names them.
using PgHost = std::vector<std::pair<std::string, std::string>>;

// Thread-safe.
class PgHosts {
 public:
  // `timeout`: of requests. Each host gets its part of it to connect, within 2 and 10 s, unless the URL has
  // `connect_timeout`.
  PgHosts(const std::string& url, std::chrono::milliseconds timeout);

  std::size_t size() const { return hosts_.size(); }
  const PgHost& operator[](std::size_t place) const { return hosts_[place]; }

  // What a URL says that is not one; empty: it is one.
  const std::string& mistake() const { return mistake_; }

  // For one host.
  std::chrono::milliseconds connect_timeout() const { return connect_timeout_; }

  // The host that was reached last: it is tried first.
  std::size_t best() const { return best_; }
  void note_reached(std::size_t place) { best_ = place; }

 private:
  std::vector<PgHost> hosts_;
  std::string mistake_;
  std::chrono::milliseconds connect_timeout_;
  std::atomic<std::size_t> best_ = 0;
};

}  // namespace rocktable
