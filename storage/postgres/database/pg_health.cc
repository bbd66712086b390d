#include "storage/postgres/database/pg_health.h"

#include <cstdio>

namespace rocktable {
namespace {

constexpr std::chrono::seconds kBrief{1};  // a restart that nobody needs to hear of

// `3.2 s`
std::string seconds_text(PgHealth::Clock::duration time) {
  char out[32];
  std::snprintf(out, sizeof out, "%.1f s", std::chrono::duration<double>(time).count());
  return out;
}

}  // namespace

void PgHealth::note_failure(const std::string& reason) {
  ++failures_;
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = Failure{.reason = {}, .since = Clock::now()};
  failure_->reason = reason;
  has_failed_ = true;
}

void PgHealth::end_failure() {
  std::optional<Failure> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(failure_);
    has_failed_ = false;
  }
  if (ended && ended->is_told && warn_)
    warn_("the database answers again, after " + seconds_text(Clock::now() - ended->since));
}

std::optional<std::string> PgHealth::unavailable() const {
  if (!has_failed_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (!failure_) return std::nullopt;
  return failure_->reason;
}

void PgHealth::report(Clock::time_point now) {
  std::string reason;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_ || failure_->is_told || now - failure_->since < kBrief) return;
    failure_->is_told = true;
    reason = failure_->reason;
  }
  if (warn_) warn_("the database does not answer: " + reason + "; requests wait for it, and then get 503 or 500");
}

}  // namespace rocktable
