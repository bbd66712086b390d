#include "storage/rocksdb/concurrency/clock.h"

#include <algorithm>

namespace rocktable {

DateTime Clock::next() {
  const std::lock_guard lock(mutex_);
  const DateTime tick{std::max(time_->now().ticks, last_.ticks + 1)};
  if (tick > mark_) {
    const DateTime mark{tick.ticks + kTicksPerSecond};
    persist_(mark);
    mark_ = mark;
  }
  last_ = tick;
  return tick;
}

void Clock::pass(DateTime tick) {
  const std::lock_guard lock(mutex_);
  last_ = std::max(last_, tick);
  mark_ = std::max(mark_, tick);
}

void Clock::begin_anew() {
  const std::lock_guard lock(mutex_);
  const DateTime now = time_->now();
  if (last_.ticks <= now.ticks + 60 * kTicksPerSecond) return;
  const DateTime mark{now.ticks + kTicksPerSecond};
  persist_(mark);
  mark_ = mark;
  last_ = now;
}

DateTime Clock::mark() const {
  const std::lock_guard lock(mutex_);
  return mark_;
}

DateTime Clock::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace rocktable
