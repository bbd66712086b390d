// Whether the database answers, for those who ask and for the log; and whether calls still wait for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/threads/mutex.h"
#include "storage/waiter.h"

namespace rocktable {

// Thread-safe.
class PgHealth {
 public:
  using Clock = Waiter::Clock;

  // `warn`: takes sentences for the user; may be empty.
  explicit PgHealth(std::function<void(const std::string&)> warn) : warn_(std::move(warn)) {}

  // The database does not answer, or does again.
  void note_failure(const std::string& reason);
  void note_success() {
    if (has_failed_.load(std::memory_order_relaxed)) end_failure();
  }

  // An attempt is made again; nobody could find out whether a write was applied.
  void note_retry() { ++retries_; }
  void note_unknown_effect() { ++unknown_effects_; }

  // Counts since the start.
  std::uint64_t failures() const { return failures_; }
  std::uint64_t retries() const { return retries_; }
  std::uint64_t unknown_effects() const { return unknown_effects_; }

  // Why it does not answer, or nullopt.
  std::optional<std::string> unavailable() const;

  // Tells the user of a failure that lasts, once. Its end is told at once. Call it about twice a second.
  void report(Clock::time_point now);

  // From now on, who waits for the database is told within a second that it does not answer.
  void stop_waiting() { stops_waiting_ = true; }
  bool stops_waiting() const { return stops_waiting_; }

 private:
  struct Failure {
    std::string reason;  // the last one
    Clock::time_point since;
    bool is_told = false;
  };

  void end_failure();

  const std::function<void(const std::string&)> warn_;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> stops_waiting_ = false;
  std::atomic<std::uint64_t> failures_ = 0, retries_ = 0, unknown_effects_ = 0;
  mutable Mutex mutex_;
  std::optional<Failure> failure_;
};

}  // namespace rocktable
