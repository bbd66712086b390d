#include "server/monitor/request_window.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kStep{50};  // those who watch come at different times

}  // namespace

RequestWindow::RequestWindow(const RequestRing& ring) : ring_(ring), room_at_(Clock::now()) {
  const std::uint64_t next = ring.next();
  const auto kept = ring.since(next > kMaxRequests ? next - kMaxRequests : 0);
  for (const RequestRecord* record : kept.records) keep(*record);
  next_ = kept.next;
}

// A flood shows as runs of requests with gaps between them: what there is no room for is passed over at once.
void RequestWindow::fetch(Clock::time_point now) {
  if (now - fetched_at_ < kStep) return;
  fetched_at_ = now;
  const std::chrono::duration<double> passed = now - room_at_;
  room_at_ = now;
  room_ = std::min(room_ + passed.count() * kMaxPerSecond, static_cast<double>(kMaxRequests));
  const auto kept = ring_.since(next_);
  next_ = kept.next;
  for (const RequestRecord* record : kept.records) {
    if (room_ < 1) break;
    room_ -= 1;
    keep(*record);
  }
}

void RequestWindow::keep(const RequestRecord& record) {
  requests_.push_back(std::make_shared<KeptRequest>(record));
  bytes_ += requests_.back()->bytes();
  while (requests_.size() > kMaxRequests || bytes_ > kMaxBytes) {
    bytes_ -= requests_.front()->bytes();
    requests_.pop_front();
  }
}

std::vector<RequestWindow::Part> RequestWindow::take(std::uint64_t& next, std::size_t limit,
                                                     const WantedRequests& wanted, Clock::time_point now) {
  std::vector<Part> out;
  const std::lock_guard lock(mutex_);
  fetch(now);
  const auto begin = std::ranges::lower_bound(requests_, next, {}, &KeptRequest::number);
  for (auto place = begin; place != requests_.end(); ++place) {
    if (out.size() == limit) return out;
    const KeptRequest& request = **place;
    const std::uint64_t missing = request.number() - next;
    next = request.number() + 1;
    if (wanted.account.empty() || request.account() == wanted.account) {
      out.push_back({request.number(), missing, *place});
    } else if (missing > 0) {
      out.push_back({request.number(), missing, nullptr});
    }
  }
  if (next < next_) out.push_back({next_ - 1, next_ - std::exchange(next, next_), nullptr});
  return out;
}

}  // namespace rocktable
