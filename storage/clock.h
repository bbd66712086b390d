// The clock of timestamps: strictly increasing, across restarts too.
#pragma once

#include <functional>
#include <mutex>

#include "odata/date_time.h"

namespace rocktable {

// Hands out the wall clock's time, or one tick more than the last where that has not moved (or was set back).
// Thread-safe.
class Clock {
 public:
  // Writes down a time that no tick handed out so far has passed. Called before the first tick beyond the
  // last mark, about once a second under load, so that a store that was killed starts at most a second ahead
  // of the wall clock.
  using Persist = std::function<void(DateTime high_water_mark)>;

  // `high_water_mark` is what was persisted last: all ticks to come are beyond it.
  Clock(DateTime high_water_mark, Persist persist)
      : last_(high_water_mark), mark_(high_water_mark), persist_(std::move(persist)) {}

  DateTime next();

  // From now on all ticks are beyond this one, too.
  void pass(DateTime tick);

  // What was persisted last: no tick handed out so far has passed it.
  DateTime mark() const;

  // The last tick handed out: what an orderly close persists.
  DateTime last() const;

 private:
  mutable std::mutex mutex_;
  DateTime last_;
  DateTime mark_;
  Persist persist_;
};

}  // namespace rocktable
