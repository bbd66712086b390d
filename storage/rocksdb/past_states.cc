#include "storage/rocksdb/past_states.h"

#include <algorithm>

namespace rocktable {

void PastStates::keep(std::int64_t ticks) {
  const std::lock_guard lock(mutex_);
  kept_ = ticks;
  if (ticks == 0) states_.clear();
}

void PastStates::take(rocksdb::DB& db, DateTime now) {
  const std::lock_guard lock(mutex_);
  const std::int64_t kept = kept_, step = kept / 100;
  while (!states_.empty() && states_.front().until.ticks < now.ticks - kept - step) states_.pop_front();
  // The clock may have been set back: later states are of no use then.
  while (!states_.empty() && states_.back().until > now) states_.pop_back();
  if (!states_.empty() && states_.back().until.ticks > now.ticks - step) return;
  states_.push_back(
      {now, {db.GetSnapshot(), [&db](const rocksdb::Snapshot* state) { db.ReleaseSnapshot(state); }}});
}

PastStates::State PastStates::at(DateTime time) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(states_.begin(), states_.end(), [&](const Past& one) { return one.until > time; });
  return found == states_.end() ? nullptr : found->state;
}

void PastStates::clear() {
  const std::lock_guard lock(mutex_);
  states_.clear();
}

}  // namespace rocktable
