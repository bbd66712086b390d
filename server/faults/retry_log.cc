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

std::uint64_t identity_of(const RetryLog::Attempt& attempt) {
  return seeded_hash(attempt.body, seeded_hash(attempt.target, seeded_hash(attempt.method, 0)));
}

}  // namespace

// --- Recording --------------------------------------------------------------------------------------------

RetryLog::Ticket RetryLog::begin(const Attempt& attempt, Clock::time_point now) {
  const std::uint64_t identity = identity_of(attempt);
  const std::lock_guard lock(mutex_);
  KeptRequest* const known = find(attempt, identity, now);
  KeptRequest& request = known == nullptr ? keep(attempt, identity) : *known;
  if (request.attempts.size() == kMaxAttempts) request.attempts.pop_back();
  const Ticket out{request.number, ++numbers_};
  request.attempts.push_back({.number = out.attempt, .at = now, .fault = std::string(attempt.fault)});
  return out;
}

void RetryLog::record(const Attempt& attempt, Ticket begun, Clock::time_point now) {
  const std::uint64_t identity = identity_of(attempt);
  const std::lock_guard lock(mutex_);
  if (begun.request != 0) {
    const auto request =
        std::lower_bound(requests_.begin(), requests_.end(), begun.request,
                         [](const KeptRequest& one, std::uint64_t number) { return one.number < number; });
    if (request == requests_.end() || request->number != begun.request) return;  // it was forgotten meanwhile
    for (KeptAttempt& kept : request->attempts)
      if (kept.number == begun.attempt) finish(attempt, *request, kept, now);
    return;
  }
  KeptRequest* request = find(attempt, identity, now);
  if (request == nullptr) {
    if (attempt.fault.empty()) return;
    request = &keep(attempt, identity);
  }
  if (request->attempts.size() == kMaxAttempts) request->attempts.pop_back();
  finish(attempt, *request, request->attempts.emplace_back(KeptAttempt{.number = 0, .at = now}), now);
}

RetryLog::KeptRequest* RetryLog::find(const Attempt& attempt, std::uint64_t identity, Clock::time_point now) {
  const auto is_same = [&](const KeptRequest& request) {
    if (request.is_answered && now >= request.open_until) return false;
    if (request.account != attempt.account) return false;
    const bool same_id = !attempt.client_request_id.empty() && request.client_request_id == attempt.client_request_id;
    return same_id || request.identity == identity;
  };
  // From the back: the last one is the likeliest.
  const auto found = std::find_if(requests_.rbegin(), requests_.rend(), is_same);
  return found == requests_.rend() ? nullptr : &*found;
}

RetryLog::KeptRequest& RetryLog::keep(const Attempt& attempt, std::uint64_t identity) {
  if (requests_.size() == kMaxRequests) {
    requests_.pop_front();
    ++dropped_;
  }
  return requests_.emplace_back(KeptRequest{.number = ++numbers_,
                                            .account = std::string(attempt.account),
                                            .method = std::string(attempt.method),
                                            .target = without_signature(attempt.target).substr(0, kMaxTarget),
                                            .client_request_id = std::string(attempt.client_request_id),
                                            .identity = identity,
                                            .attempts = {},
                                            .open_until = {}});
}

// An attempt that was overtaken keeps the time at which it came: the next one counts from there.
void RetryLog::finish(const Attempt& attempt, KeptRequest& request, KeptAttempt& kept, Clock::time_point now) {
  const bool is_last = &kept == &request.attempts.back();
  kept.done = ++done_;
  if (is_last) kept.at = now;
  kept.fault = attempt.fault;
  kept.is_answer = attempt.fault.empty() || attempt.keeps_answer;
  kept.status = attempt.status;
  kept.error = attempt.error;
  kept.is_committed = attempt.is_committed;
  if (is_last) {
    request.is_answered = kept.is_answer;
    request.open_until = now + attempt.delay;
  } else if (kept.is_answer) {
    request.is_answered = true;
  }
}

// --- Reporting --------------------------------------------------------------------------------------------

// Whether an attempt was refused because another one had been carried out before it.
bool RetryLog::met_own_work(const KeptRequest& request) {
  const auto& all = request.attempts;
  return std::any_of(all.begin(), all.end(), [&](const KeptAttempt& one) {
    if (!one.is_answer || !says_done(one.error)) return false;
    return std::any_of(all.begin(), all.end(),
                       [&](const KeptAttempt& other) { return other.is_committed && other.done < one.done; });
  });
}

std::string_view RetryLog::outcome(const KeptRequest& request) {
  const auto& all = request.attempts;
  if (!request.is_answered) {
    const bool waits = std::any_of(all.begin(), all.end(), [](const KeptAttempt& one) { return one.done == 0; });
    return waits ? "pending" : "given up";
  }
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const KeptAttempt& one) { return one.is_answer; });
  return last != all.rend() && last->status < 400 && !last->error ? "succeeded" : "failed";
}

nlohmann::json RetryLog::to_json(const KeptRequest& request) {
  nlohmann::json attempts = nlohmann::json::array();
  int committed = 0;
  for (std::size_t i = 0; i < request.attempts.size(); ++i) {
    const KeptAttempt& one = request.attempts[i];
    const auto after = i == 0 ? Clock::duration::zero() : one.at - request.attempts[i - 1].at;
    committed += one.is_committed ? 1 : 0;
    attempts.push_back({{"after", std::chrono::duration_cast<std::chrono::milliseconds>(after).count()},
                        {"status", one.status == 0 ? nlohmann::json() : nlohmann::json(one.status)},
                        {"code", one.error ? nlohmann::json(rocktable::to_string(*one.error)) : nlohmann::json()},
                        {"fault", one.fault.empty() ? nlohmann::json() : nlohmann::json(one.fault)},
                        {"committed", one.is_committed}});
  }
  return {{"account", request.account}, {"method", request.method},
          {"target", request.target},   {"clientRequestId", request.client_request_id},
          {"attempts", attempts},       {"outcome", outcome(request)},
          {"committed", committed},     {"metOwnWork", met_own_work(request)}};
}

nlohmann::json RetryLog::to_json(const std::optional<std::string>& account) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json retries = nlohmann::json::array();
  for (const KeptRequest& request : requests_)
    if (!account || request.account == *account) retries.push_back(to_json(request));
  return {{"retries", retries}, {"dropped", dropped_}};
}

void RetryLog::clear(std::optional<std::string_view> account) {
  const std::lock_guard lock(mutex_);
  std::erase_if(requests_, [&](const KeptRequest& request) { return !account || request.account == *account; });
  if (!account) dropped_ = 0;
}

}  // namespace rocktable
