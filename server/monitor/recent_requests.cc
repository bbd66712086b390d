#include "server/monitor/recent_requests.h"

#include <algorithm>
#include <utility>

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kStep{100};

bool is_wanted(const KeptRequest& request, const WantedRequests& wanted) {
  return wanted.account.empty() || request.account() == wanted.account;
}

}  // namespace

// Room comes in steps, so that a flood shows as runs of requests with gaps between them, not as one gap after each
// request.
bool RecentRequests::has_room(Clock::time_point now) {
  const std::chrono::duration<double> passed = now - room_at_;
  if (passed >= kStep) {
    room_at_ = now;
    room_ = std::min(room_ + passed.count() * kMaxPerSecond, static_cast<double>(kMaxRequests));
  }
  if (room_ < 1) return false;
  room_ -= 1;
  return true;
}

void RecentRequests::record(const RequestEvent& event, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!is_on_ || event.key == nullptr) return;
  if (now - asked_ > kIdle) {
    is_on_ = false;
    requests_.clear();
    bytes_ = 0;
    return;
  }
  const std::uint64_t number = next_++;
  if (has_room(now)) keep(std::make_shared<KeptRequest>(number, event, now - details_asked_ <= kIdle));
}

void RecentRequests::keep(std::shared_ptr<const KeptRequest> request) {
  bytes_ += request->bytes();
  requests_.push_back(std::move(request));
  while (requests_.size() > kMaxRequests || bytes_ > kMaxBytes) forget_oldest();
}

void RecentRequests::forget_oldest() {
  bytes_ -= requests_.front()->bytes();
  requests_.pop_front();
}

void RecentRequests::note_question(const WantedRequests& wanted, Clock::time_point now) {
  if (!is_on_ || now - asked_ > kIdle) {
    requests_.clear();
    bytes_ = 0;
    ++next_;  // the requests that nobody asked for are missing
    room_ = kMaxRequests;
    room_at_ = now;
    details_asked_ = now - 2 * kIdle;
    is_on_ = true;
  }
  asked_ = now;
  if (wanted.details) details_asked_ = now;
}

std::uint64_t RecentRequests::begin(const WantedRequests& wanted) {
  const std::lock_guard lock(mutex_);
  note_question(wanted, Clock::now());
  return next_;
}

std::string RecentRequests::since(std::optional<std::uint64_t> first, const WantedRequests& wanted) {
  return since(first, wanted, Clock::now());
}

std::string RecentRequests::since(std::optional<std::uint64_t> first, const WantedRequests& wanted,
                                  Clock::time_point now) {
  std::vector<std::shared_ptr<const KeptRequest>> kept;
  std::uint64_t next = 0;
  {
    const std::lock_guard lock(mutex_);
    note_question(wanted, now);
    next = next_;
    const auto from = std::ranges::lower_bound(requests_, first.value_or(next), {}, &KeptRequest::number);
    kept.assign(from, requests_.end());
  }
  const std::uint64_t begin = first.value_or(next);
  // A later number is that of an earlier run of the server.
  const bool is_complete = begin == next || (begin < next && kept.size() == next - begin);
  std::string out = R"({"isComplete":)";
  out.append(is_complete ? "true" : "false").append(R"(,"next":)").append(std::to_string(next));
  out += R"(,"requests":[)";
  for (const char* separator = ""; const auto& request : kept) {
    if (!is_wanted(*request, wanted)) continue;
    out.append(separator).append(request->json(wanted.details));
    separator = ",";
  }
  return out += "]}";
}

std::vector<RecentRequests::Part> RecentRequests::take(std::uint64_t& next, std::size_t limit, std::size_t max_bytes,
                                                       const WantedRequests& wanted) {
  std::vector<Part> out;
  std::size_t bytes = 0;
  const std::lock_guard lock(mutex_);
  note_question(wanted, Clock::now());
  next = std::min(next, next_);  // the server may have started again
  const auto begin = std::ranges::lower_bound(requests_, next, {}, &KeptRequest::number);
  for (auto place = begin; place != requests_.end(); ++place) {
    if (out.size() == limit || bytes > max_bytes) return out;
    const KeptRequest& request = **place;
    const std::uint64_t missing = request.number() - next;
    next = request.number() + 1;
    if (is_wanted(request, wanted)) {
      bytes += request.bytes();
      out.push_back({request.number(), missing, *place});
    } else if (missing > 0) {
      out.push_back({request.number(), missing, nullptr});
    }
  }
  if (next < next_) out.push_back({next_ - 1, next_ - std::exchange(next, next_), nullptr});
  return out;
}

}  // namespace rocktable
