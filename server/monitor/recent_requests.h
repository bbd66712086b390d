// The last requests, for tests that ask what a program sent, and for people who watch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "server/events/request_event.h"
#include "server/monitor/kept_request.h"

namespace rocktable {

// Whose requests somebody asks for, and how much of each.
struct WantedRequests {
  std::string account;   // empty: of all accounts
  bool details = false;  // also headers and the beginning of the bodies
};

// Thread-safe. Keeps requests only while somebody asks for them: from the first question until kIdle after the last
// one. Then a request costs one test of a flag. Each request has a number; those that are not kept, because too many
// came at once, have one, too, and so every gap can be seen. Those who watch share what is kept and its documents: each
// costs the others a few pointers under the lock.
class RecentRequests : public RequestEventSink {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMaxRequests = 2'000;  // then the oldest are forgotten
  static constexpr std::size_t kMaxBytes = 16 << 20;  // of all of them; likewise
  static constexpr double kMaxPerSecond = 1'000;      // on average; kMaxRequests may come at once
  static constexpr std::chrono::seconds kIdle{60};

  // Whether somebody asks.
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  void record(const RequestEvent& event) override {
    if (is_on() && event.key != nullptr) record(event, Clock::now());
  }

  // The number of the next request. From now on it is kept.
  std::uint64_t begin(const WantedRequests& wanted);

  // {"isComplete": true, "next": 43, "requests": [{"number": 42, "time", "account", ...}]}: the requests from number
  // `first` on. Without `first`: none, but `next` is the number of the next request. `isComplete` is false if requests
  // from `first` on are missing.
  std::string since(std::optional<std::uint64_t> first, const WantedRequests& wanted);

  // A request, and how it follows the one before.
  struct Part {
    std::uint64_t number;
    std::uint64_t missing;                       // the requests before it that are not kept
    std::shared_ptr<const KeptRequest> request;  // null: none of the wanted requests
  };

  // Returns the requests from number `next` on, and sets `next` behind the last one. Ends after `limit` requests, or
  // with the first one beyond `max_bytes`.
  std::vector<Part> take(std::uint64_t& next, std::size_t limit, std::size_t max_bytes, const WantedRequests& wanted);

  // For tests, which do not wait.
  void record(const RequestEvent& event, Clock::time_point now);
  std::string since(std::optional<std::uint64_t> first, const WantedRequests& wanted, Clock::time_point now);

 private:
  // These need the lock.
  bool has_room(Clock::time_point now);
  void keep(std::shared_ptr<const KeptRequest> request);
  void forget_oldest();
  void note_question(const WantedRequests& wanted, Clock::time_point now);

  std::atomic<bool> is_on_ = false;
  Mutex mutex_;
  std::deque<std::shared_ptr<const KeptRequest>> requests_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 1;
  double room_ = kMaxRequests;  // requests that may be kept now
  Clock::time_point room_at_;
  Clock::time_point asked_, details_asked_;
};

}  // namespace rocktable
