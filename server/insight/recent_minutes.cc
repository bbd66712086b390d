#include "server/insight/recent_minutes.h"

#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

constexpr std::int64_t kTicksPerStep = RecentMinutes::kStep * 10'000'000;

std::size_t place_of(std::int64_t number) { return static_cast<std::size_t>(number) % RecentMinutes::kSteps; }

}  // namespace

// A step that begins takes the place of the one a quarter of an hour before, whose requests have long ended.
RecentMinutes::Step& RecentMinutes::step_at(std::int64_t number) {
  Step& step = steps_[place_of(number)];
  if (step.number.load(std::memory_order_acquire) == number) return step;
  const std::lock_guard lock(mutex_);
  if (step.number == number) return step;
  step.requests = step.scanned = 0;
  for (auto& count : step.durations) count = 0;
  step.number.store(number, std::memory_order_release);
  return step;
}

void RecentMinutes::add(DateTime time, std::chrono::microseconds duration, std::uint64_t entities_scanned) {
  Step& step = step_at(time.ticks / kTicksPerStep);
  step.requests.fetch_add(1, std::memory_order_relaxed);
  if (entities_scanned > 0) step.scanned.fetch_add(entities_scanned, std::memory_order_relaxed);
  step.durations[DurationHistogram::bucket_of(duration)].fetch_add(1, std::memory_order_relaxed);
}

nlohmann::json RecentMinutes::to_json(DateTime now) const {
  auto out = nlohmann::json::array();
  const std::int64_t last = now.ticks / kTicksPerStep;
  for (auto number = last - static_cast<std::int64_t>(kSteps) + 1; number <= last; ++number) {
    const Step& step = steps_[place_of(number)];
    const bool is_there = step.number == number;
    DurationHistogram durations;
    if (is_there) durations.add_counts(step.durations);
    const auto p99 = static_cast<double>(durations.quantile(0.99).count()) / 1000;
    out.push_back({{"time", to_string(DateTime{number * kTicksPerStep})},
                   {"requests", is_there ? step.requests.load() : 0},
                   {"entitiesScanned", is_there ? step.scanned.load() : 0},
                   {"milliseconds", {{"p99", p99}}}});
  }
  return out;
}

void RecentMinutes::clear() {
  for (Step& step : steps_) step.number = -1;
}

}  // namespace rocktable
