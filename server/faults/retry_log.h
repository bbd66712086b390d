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

#include "base/mutex.h"
#include "odata/error.h"

namespace rocktable {

// Thread-safe. A request is the same if account, method, target and body are, or account and client-request-id. It is
// remembered from its first fault until it gets an answer without one. Keeps the last thousand requests.
class RetryLog {
 public:
  using Clock = std::chrono::steady_clock;

  struct Attempt {
    std::string_view account, method, target, client_request_id, body;
    std::string_view fault;        // name of the rule that hit it; empty: none
    bool is_only_delayed = false;  // the rule changes nothing else
    int status = 0;                // of the answer that the client gets; 0: none, or a part of one
    std::optional<ErrorCode> error;
    bool is_committed = false;  // it wrote, also if the client cannot know
  };

  void record(const Attempt& attempt, Clock::time_point now);

  // {"retries": [{"account", "method", "target", "clientRequestId", "attempts": [{"after", "status", "code", "fault",
  // "committed"}], "outcome", "committed", "metOwnWork"}], "dropped"}: those with a fault, whether they came again or
  // not. `after` is in milliseconds since the previous attempt. `outcome` is `succeeded`, `failed`, or `given up` while
  // no answer without fault has come.
  nlohmann::json to_json(const std::optional<std::string>& account = std::nullopt) const;

  // Forgets the requests of an account; nullopt: of all.
  void clear(std::optional<std::string_view> account = std::nullopt);

 private:
  static constexpr std::size_t kMaxRequests = 1000;
  static constexpr std::size_t kMaxAttempts = 100;
  static constexpr std::size_t kMaxTarget = 2048;

  struct Answered {
    Clock::time_point at;
    std::string fault;
    int status;
    std::optional<ErrorCode> error;
    bool is_committed;
  };
  struct Request {
    std::string account, method, target, client_request_id;
    std::uint64_t identity;  // hash of method, target and body
    std::vector<Answered> attempts;
    bool is_answered = false;  // without a fault
  };

  static nlohmann::json to_json(const Request& request);

  mutable Mutex mutex_;
  std::deque<Request> requests_;
  std::uint64_t dropped_ = 0;
};

}  // namespace rocktable
