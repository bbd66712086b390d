#include "base/time_source.h"

namespace rocktable {

TimeSource::Setting TimeSource::setting() const {
  const std::int64_t frozen = frozen_;
  return {offset_, frozen == kRunning ? std::nullopt : std::optional(DateTime{frozen}), is_lenient_};
}

void TimeSource::set(const Setting& setting) {
  offset_ = setting.offset;
  frozen_ = setting.frozen ? setting.frozen->ticks : kRunning;
  is_lenient_ = setting.lenient;
}

}  // namespace rocktable
