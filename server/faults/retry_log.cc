#include "server/faults/retry_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "server/behaviour/seeded_random.h"
#include "server/events/masking.h"

namespace rocktable {
namespace {

// Whether the answer says that the work was done before.
bool says_done(const std::optional<ErrorCode>& error) {
  return error == ErrorCode::EntityAlreadyExists || error == ErrorCode::TableAlreadyExists ||
         error == ErrorCode::ResourceNotFound || error == ErrorCode::UpdateConditionNotSatisfied ||
         error == ErrorCode::ConditionNotMet || error == ErrorCode::TableNotFound;
}

}  // namespace

void RetryLog::record(const Attempt& attempt, Clock::time_point now) {
  const std::uint64_t identity = seeded_hash(attempt.body, seeded_hash(attempt.target, seeded_hash(attempt.method, 0)));
  const std::lock_guard lock(mutex_);
  const auto is_same = [&](const Request& request) {
    if (request.is_answered || request.account != attempt.account) return false;
    const bool same_id = !attempt.client_request_id.empty() && request.client_request_id == attempt.client_request_id;
    return same_id || request.identity == identity;
  };
  // From the back: the last one is the likeliest.
  const auto found = std::find_if(requests_.rbegin(), requests_.rend(), is_same);
  Request* request = found == requests_.rend() ? nullptr : &*found;
  if (request == nullptr) {
    if (attempt.fault.empty()) return;
    if (requests_.size() == kMaxRequests) {
      requests_.pop_front();
      ++dropped_;
    }
    const std::string target = without_signature(attempt.target);
    request = &requests_.emplace_back(Request{std::string(attempt.account),
                                              std::string(attempt.method),
                                              target.substr(0, kMaxTarget),
                                              std::string(attempt.client_request_id),
                                              identity,
                                              {},
                                              false});
  }
  request->is_answered = attempt.fault.empty() || attempt.is_only_delayed;
  if (request->attempts.size() == kMaxAttempts) request->attempts.pop_back();
  request->attempts.push_back({now, std::string(attempt.fault), attempt.status, attempt.error, attempt.is_committed});
}

nlohmann::json RetryLog::to_json(const Request& request) {
  nlohmann::json attempts = nlohmann::json::array();
  int committed = 0;
  bool met_own_work = false;
  for (std::size_t i = 0; i < request.attempts.size(); ++i) {
    const Answered& one = request.attempts[i];
    const auto after = i == 0 ? Clock::duration::zero() : one.at - request.attempts[i - 1].at;
    met_own_work = met_own_work || (committed > 0 && one.fault.empty() && says_done(one.error));
    committed += one.is_committed ? 1 : 0;
    attempts.push_back({{"after", std::chrono::duration_cast<std::chrono::milliseconds>(after).count()},
                        {"status", one.status == 0 ? nlohmann::json() : nlohmann::json(one.status)},
                        {"code", one.error ? nlohmann::json(rocktable::to_string(*one.error)) : nlohmann::json()},
                        {"fault", one.fault.empty() ? nlohmann::json() : nlohmann::json(one.fault)},
                        {"committed", one.is_committed}});
  }
  const Answered& last = request.attempts.back();
  const char* const outcome = !request.is_answered               ? "given up"
                              : last.status < 400 && !last.error ? "succeeded"
                                                                 : "failed";
  return {{"account", request.account}, {"method", request.method},
          {"target", request.target},   {"clientRequestId", request.client_request_id},
          {"attempts", attempts},       {"outcome", outcome},
          {"committed", committed},     {"metOwnWork", met_own_work}};
}

nlohmann::json RetryLog::to_json(const std::optional<std::string>& account) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json retries = nlohmann::json::array();
  for (const Request& request : requests_)
    if (!account || request.account == *account) retries.push_back(to_json(request));
  return {{"retries", retries}, {"dropped", dropped_}};
}

void RetryLog::clear(std::optional<std::string_view> account) {
  const std::lock_guard lock(mutex_);
  std::erase_if(requests_, [&](const Request& request) { return !account || request.account == *account; });
  if (!account) dropped_ = 0;
}

}  // namespace rocktable
