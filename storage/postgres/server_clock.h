// The clock of the database, which may go back: a standby that is promoted may have one that is behind.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/date_time.h"

namespace rocktable {

// Not thread-safe.
class ServerClock {
 public:
  using Clock = std::chrono::steady_clock;

  // `ticks`: of the server's clock, read shortly before `now`. If it is behind what it was before and the time since,
  // returns where it would be: no ticks may be earlier, because rows that are deleted by now may have had them.
  std::optional<std::int64_t> observe(std::int64_t ticks, Clock::time_point now) {
    if (!seen_) {
      seen_ = {ticks, now};
      return std::nullopt;
    }
    const std::int64_t expected = seen_->ticks + to_ticks(now - seen_->at);
    seen_ = {std::max(ticks, expected), now};
    if (ticks + kTolerance >= expected) {
      if (ticks < expected) seen_->ticks = ticks;  // clocks do not run at exactly the same speed
      return std::nullopt;
    }
    return expected;
  }

 private:
  struct Seen {
    std::int64_t ticks;
    Clock::time_point at;
  };

  static constexpr std::int64_t kTolerance = kTicksPerSecond;

  static std::int64_t to_ticks(Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count() / 100;
  }

  std::optional<Seen> seen_;
};

}  // namespace rocktable
