// When an attempt that has failed is made again.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

#include "storage/postgres/database/pg_health.h"
#include "storage/waiter.h"

namespace rocktable {

class PgRetryPolicy {
 public:
  // No attempt begins after the deadline. One that began before it has its own time.
  PgRetryPolicy(PgHealth& health, Waiter::Clock::time_point deadline) : health_(health), deadline_(deadline) {}

  Waiter::Clock::time_point deadline() const { return deadline_; }

  // Waits before the next attempt: up to 1, 2, 4, ... 256 ms, at random, because what failed together would fail
  // together again. Returns false if there is no time left.
  bool pause() {
    const auto left = deadline_ - Waiter::Clock::now();
    if (left <= left.zero() || health_.stops_waiting()) return false;
    thread_local std::minstd_rand random{std::random_device{}()};
    const std::chrono::microseconds pause(1 + random() % longest_);
    longest_ = std::min(2 * longest_, kLongest);
    Waiter::current().sleep_for(std::min<Waiter::Clock::duration>(pause, left));
    if (Waiter::Clock::now() >= deadline_) return false;
    health_.note_retry();
    return true;
  }

 private:
  static constexpr unsigned kLongest = 256'000;  // microseconds

  PgHealth& health_;
  const Waiter::Clock::time_point deadline_;
  unsigned longest_ = 1000;  // microseconds
};

}  // namespace rocktable
