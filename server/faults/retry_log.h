// Requests that came again after a fault: how often, when, and what became of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"
#include "odata/error.h"

namespace rocktable {

// Thread-safe. A request is the same if account, method, target and body are, or account and client-request-id. It is
// remembered from its first fault until it gets an answer without one: also while that is still delayed, because a
// client that does not wait for it sends the request again, and this attempt overtakes the first one. Attempts are in
// the order in which they came. Keeps the last thousand requests.
class RetryLog {
 public:
  using Clock = std::chrono::steady_clock;

  struct Attempt {
    std::string_view account, method, target, client_request_id, body;
    std::string_view fault = {};  // name of the rule that hit it; empty: none
    bool keeps_answer = false;    // the rule lets it get the service's own answer, only late or slowly
    int status = 0;               // of the answer that the client gets; 0: none, or a part of one
    std::optional<ErrorCode> error = std::nullopt;
    bool is_committed = false;          // it wrote, also if the client cannot know
    std::chrono::microseconds delay{};  // after which the client has the answer
  };

  // An attempt that begin() has noted.
  struct Ticket {
    std::uint64_t request = 0, attempt = 0;  // 0: none
  };

  // A rule delays the attempt, of which only the first six members and `fault` are known yet. Give the ticket to
  // record().
  Ticket begin(const Attempt& attempt, Clock::time_point now);

  void record(const Attempt& attempt, Clock::time_point now) { record(attempt, Ticket(), now); }
  void record(const Attempt& attempt, Ticket begun, Clock::time_point now);

  // {"retries": [{"account", "method", "target", "clientRequestId", "attempts": [{"after", "status", "code", "fault",
  // "committed"}], "outcome", "committed", "metOwnWork"}], "dropped"}: those with a fault, whether they came again or
  // not. `after` is in milliseconds since the previous attempt. `outcome` is `succeeded` or `failed`; while no answer
  // without fault has come, `pending` if an attempt is delayed, else `given up`.
  nlohmann::json to_json(const std::optional<std::string>& account = std::nullopt) const;

  // Forgets the requests of an account; nullopt: of all.
  void clear(std::optional<std::string_view> account = std::nullopt);

 private:
  static constexpr std::size_t kMaxRequests = 1000;
  static constexpr std::size_t kMaxAttempts = 100;
  static constexpr std::size_t kMaxTarget = 2048;

  struct KeptAttempt {
    std::uint64_t number;    // of the ticket; 0: none
    std::uint64_t done = 0;  // its place among the attempts that are done; 0: it is still delayed
    Clock::time_point at;
    std::string fault = {};
    bool is_answer = false;  // of the service
    int status = 0;
    std::optional<ErrorCode> error = std::nullopt;
    bool is_committed = false;
  };
  struct KeptRequest {
    std::uint64_t number;
    std::string account, method, target, client_request_id;
    std::uint64_t identity;  // hash of method, target and body
    std::vector<KeptAttempt> attempts;
    bool is_answered = false;      // without a fault
    Clock::time_point open_until;  // until then the answer is delayed
  };

  static bool met_own_work(const KeptRequest& request);
  static std::string_view outcome(const KeptRequest& request);
  static nlohmann::json to_json(const KeptRequest& request);
  KeptRequest* find(const Attempt& attempt, std::uint64_t identity, Clock::time_point now);
  KeptRequest& keep(const Attempt& attempt, std::uint64_t identity);
  void finish(const Attempt& attempt, KeptRequest& request, KeptAttempt& kept, Clock::time_point now);

  mutable Mutex mutex_;
  std::deque<KeptRequest> requests_;  // by their numbers
  std::uint64_t numbers_ = 0;         // of requests and attempts
  std::uint64_t done_ = 0;            // attempts
  std::uint64_t dropped_ = 0;
};

}  // namespace rocktable
