// The clock of timestamps. It is strictly increasing, also across restarts.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "base/date_time.h"
#include "base/time_source.h"

namespace rocktable {

// Returns the time of its source. If that has not advanced or was set back, returns the last tick plus one.
// Thread-safe.
class Clock {
 public:
  // Persists a time that is not before any tick returned so far. Called before the first tick beyond the last
  // mark: about once a second under load. A store that was killed therefore starts at most one second ahead
  // of the wall clock.
  using Persist = std::function<void(DateTime high_water_mark)>;

  // `high_water_mark` is the mark persisted last. All further ticks are later.
  Clock(DateTime high_water_mark, Persist persist,
        std::shared_ptr<const TimeSource> time = std::make_shared<TimeSource>())
      : last_(high_water_mark), mark_(high_water_mark), persist_(std::move(persist)), time_(std::move(time)) {}

  DateTime next();

  // Makes all further ticks later than `tick`.
  void pass(DateTime tick);

  // If the ticks are more than a minute ahead of the source's time, because it was turned forward and back, they begin
  // anew from that time. Call only when the store is empty: else the timestamp of an entity could go back.
  void begin_anew();

  // Returns the mark persisted last. No tick returned so far is later.
  DateTime mark() const;

  // Returns the last tick. The store persists it when it closes in order.
  DateTime last() const;

 private:
  mutable std::mutex mutex_;
  DateTime last_;
  DateTime mark_;
  Persist persist_;
  std::shared_ptr<const TimeSource> time_;
};

}  // namespace rocktable
