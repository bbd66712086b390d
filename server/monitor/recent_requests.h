// The last requests, for people who want to see what led to an error, and for tests that ask what a program sent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/threads/mutex.h"
#include "server/events/request_event.h"
#include "server/monitor/request_ring.h"
#include "server/monitor/request_window.h"

namespace rocktable {

struct KeepOptions {
  std::size_t bytes = 16 << 20;  // 0: none are kept; else at least RequestRing::kLeastBytes
  bool bodies = true;            // also the beginnings of bodies
};

// Thread-safe. Keeps requests from the start, whether somebody looks or not. Each request has a number, so that it can
// be seen which are no longer kept.
class RecentRequests : public RequestEventSink {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMaxAnswerBytes = 16 << 20;
  static constexpr int kExplanationsPerSecond = 100;

  explicit RecentRequests(KeepOptions options = {});

  bool is_on() const { return ring_ != nullptr; }

  // Whether a refusal is worth its explanation: it costs more than the refusal, and a stranger can cause many.
  bool wants_explanation() const { return wants_explanation_.load(std::memory_order_relaxed); }

  void record(const RequestEvent& event) override;

  // The number of the next request.
  std::uint64_t next() const;

  // {"isComplete": true, "missing": 0, "more": false, "next": 43, "requests": [{"number": 42, "time", ...}]}: the
  // requests from number `first` on, at most `limit`, and at most kMaxAnswerBytes. Without `first`: none, but `next` is
  // the number of the next request. `missing` requests are no longer kept. Ask again from `next` if there are `more`.
  std::string since(std::optional<std::uint64_t> first, const WantedRequests& wanted, std::size_t limit) const;

  // What all who watch share.
  std::shared_ptr<RequestWindow> watch();

  // Forgets all requests.
  void clear();

 private:
  void note_refusal(Clock::time_point now);

  const KeepOptions options_;
  std::unique_ptr<RequestRing> ring_;  // null: none are kept

  std::atomic<bool> wants_explanation_;
  std::atomic<Clock::rep> second_ = 0;  // of the last refusals
  std::atomic<int> refusals_ = 0;       // in it

  Mutex window_mutex_;
  std::weak_ptr<RequestWindow> window_;
};

}  // namespace rocktable
