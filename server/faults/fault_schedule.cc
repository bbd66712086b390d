#include "server/faults/fault_schedule.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/date_time.h"
#include "base/duration.h"

namespace rocktable {
namespace {

constexpr std::int64_t kLongestSchedule = 365 * 86400 * kTicksPerSecond;

std::int64_t schedule_time_of(const JsonReader& value, std::int64_t least) {
  const auto ticks = parse_duration(value.text());
  if (!ticks || *ticks < least || *ticks > kLongestSchedule)
    value.refuse("must be a duration such as 500ms, 10s or 2m, of " + (least == 0 ? "0s" : duration_text(least)) +
                 " to 365 days");
  return *ticks;
}

}  // namespace

bool FaultSchedule::is_on(std::int64_t elapsed) const {
  if (is_always_on()) return true;
  const std::int64_t begun = elapsed - after;
  if (begun < 0) return false;
  if (!length) return true;
  return (every ? begun % *every : begun) < *length;
}

FaultSchedule read_schedule(const JsonReader& when) {
  FaultSchedule out;
  if (when.has("after")) out.after = schedule_time_of(when.member("after"), 0);
  if (when.has("for")) out.length = schedule_time_of(when.member("for"), kTicksPerMillisecond);
  if (!when.has("every")) return out;
  const JsonReader every = when.member("every");
  out.every = schedule_time_of(every, kTicksPerMillisecond);
  if (!out.length) every.refuse("needs for: how long the rule is on each time");
  if (*out.every <= *out.length) every.refuse("must be longer than for, which is " + duration_text(*out.length));
  return out;
}

void write_schedule(const FaultSchedule& schedule, nlohmann::json& when) {
  if (schedule.after > 0) when["after"] = duration_text(schedule.after);
  if (schedule.length) when["for"] = duration_text(*schedule.length);
  if (schedule.every) when["every"] = duration_text(*schedule.every);
}

}  // namespace rocktable
