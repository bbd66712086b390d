// What the requests of the last minutes cost, in steps of ten seconds, for charts.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "base/date_time.h"
#include "base/threads/mutex.h"
#include "server/insight/duration_histogram.h"

namespace rocktable {

// Thread-safe.
class RecentMinutes {
 public:
  static constexpr std::int64_t kStep = 10;  // seconds
  static constexpr std::size_t kSteps = 90;

  void add(DateTime time, std::chrono::microseconds duration, std::uint64_t entities_scanned);

  // [{"time", "requests", "entitiesScanned", "milliseconds": {"p99"}}]: the steps up to `now`, the oldest first.
  nlohmann::json to_json(DateTime now) const;

  void clear();

 private:
  struct Step {
    std::atomic<std::int64_t> number = -1;  // of the step since the beginning of time; -1: nothing yet
    std::atomic<std::uint64_t> requests = 0, scanned = 0;
    std::array<std::atomic<std::uint32_t>, DurationHistogram::kBuckets> durations{};
  };

  Step& step_at(std::int64_t number);

  Mutex mutex_;  // of the change to another step
  std::array<Step, kSteps> steps_;
};

}  // namespace rocktable
