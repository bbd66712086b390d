// The newest requests, ready to be sent to those who watch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "server/monitor/kept_request.h"
#include "server/monitor/request_ring.h"

namespace rocktable {

// Whose requests somebody asks for, how much of each, and which.
struct WantedRequests {
  std::string account = {};  // empty: of all accounts
  bool details = false;      // also headers and the beginning of the bodies
  std::string text = {};     // only those whose details have it, in any case; empty: all

  bool accepts(const RequestRecord& record) const {
    return account.empty() || record.text(RequestRecord::Account) == account;
  }
};

// Thread-safe. Those who watch share the requests and their documents. Of a flood not all are taken, because each
// document costs more than its request; the others stay in the ring.
class RequestWindow {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMaxRequests = 2'000;  // then the oldest are forgotten
  static constexpr std::size_t kMaxBytes = 16 << 20;  // of all of them; likewise
  static constexpr double kMaxPerSecond = 1'000;      // on average; kMaxRequests may come at once

  // Begins with the last requests of the ring, which must outlive it.
  explicit RequestWindow(const RequestRing& ring);

  // A request, and how it follows the one before.
  struct Part {
    std::uint64_t number;
    std::uint64_t missing;                       // the requests before it that are not here
    std::shared_ptr<const KeptRequest> request;  // null: none of the wanted requests
  };

  // Returns at most `limit` requests from number `next` on, and sets `next` behind the last one.
  std::vector<Part> take(std::uint64_t& next, std::size_t limit, const WantedRequests& wanted) {
    return take(next, limit, wanted, Clock::now());
  }

  // For tests, which do not wait.
  std::vector<Part> take(std::uint64_t& next, std::size_t limit, const WantedRequests& wanted, Clock::time_point now);

 private:
  // These need the lock.
  void fetch(Clock::time_point now);
  void keep(const RequestRecord& record);

  const RequestRing& ring_;
  Mutex mutex_;
  std::deque<std::shared_ptr<const KeptRequest>> requests_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 0;      // the number of the first request that is not looked at yet
  double room_ = kMaxRequests;  // requests that may be taken now
  Clock::time_point room_at_, fetched_at_;
};

}  // namespace rocktable
