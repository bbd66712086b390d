// The last requests, for tests that ask what a program sent, and for people who watch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/events/request_event.h"

namespace rocktable {

// Whose requests somebody asks for, and how much of each.
struct WantedRequests {
  std::string account;   // empty: of all accounts
  bool details = false;  // also headers and the beginning of the bodies
};

// Thread-safe. Keeps requests only while somebody asks for them: from the first question until kIdle after the last one.
// Then a request costs one test of a flag. Each request has a number; those that are not kept, because too many came at
// once, have one, too, and so every gap can be seen.
class RecentRequests : public RequestEventSink {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMaxRequests = 2'000;  // then the oldest are forgotten
  static constexpr double kMaxPerSecond = 1'000;      // on average; kMaxRequests may come at once
  static constexpr std::size_t kMaxBody = 1'024;      // bytes of a body
  static constexpr std::chrono::seconds kIdle{60};

  // Whether somebody asks.
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  void record(const RequestEvent& event) override {
    if (is_on() && event.key != nullptr) record(event, Clock::now());
  }

  // {"next": 43, "isComplete": true, "requests": [{"number": 42, "time", "account", ...}]}: the requests from number `first`
  // on. Without `first`: none, but `next` is the number of the next request. `isComplete` is false if requests from `first` on
  // are missing.
  nlohmann::json since(std::optional<std::uint64_t> first, const WantedRequests& wanted);

  // The part of a request's document, and where the next one begins.
  struct Part {
    std::uint64_t number;
    std::uint64_t missing;  // the requests before it that are not kept
    std::string json;       // empty: none of the wanted requests
  };

  // Returns the requests from number `next` on, `most` at most, and sets `next` behind the last one.
  std::vector<Part> take(std::uint64_t& next, std::size_t most, const WantedRequests& wanted);

  // For tests, which do not wait.
  void record(const RequestEvent& event, Clock::time_point now);
  nlohmann::json since(std::optional<std::uint64_t> first, const WantedRequests& wanted,
                       Clock::time_point now);

 private:
  struct Details {
    std::vector<std::pair<std::string, std::string>> request_headers, response_headers;
    std::string request_body, response_body;
  };
  struct Entry {
    std::uint64_t number;
    DateTime received;
    std::string account, table, method, target, request_id, client_request_id, client, fault, explanation;
    std::string_view operation, plan_class;
    int status;
    std::optional<ErrorCode> error;
    std::uint64_t scanned, returned;
    std::size_t body_bytes;
    std::chrono::microseconds duration;
    std::optional<Details> details;
  };

  static Entry entry_of(const RequestEvent& event, bool with_details);
  static Details details_of(const RequestEvent& event);
  static nlohmann::json to_json(const Entry& entry, bool with_details);
  // The next two need the lock.
  bool has_room(Clock::time_point now);
  void note_question(const WantedRequests& wanted, Clock::time_point now);

  std::atomic<bool> is_on_ = false;
  std::mutex mutex_;
  std::deque<Entry> entries_;
  std::uint64_t next_ = 1;
  double room_ = kMaxRequests;  // requests that may be kept now
  Clock::time_point room_at_;
  Clock::time_point asked_, details_asked_;
};

}  // namespace rocktable
