#include "storage/postgres/step_groups.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "odata/error.h"
#include "storage/waiter.h"

namespace rocktable {
namespace {

// Who has less time left runs alone, so that its end is not that of others.
constexpr std::chrono::milliseconds kLeastShared{500};

}  // namespace

struct StepGroups::Member {
  std::string_view key;
  PgStep& step;
  PgDeadline deadline;
  std::size_t bytes;
  std::function<void()> wake;
  Group leads = {};  // not empty: it runs this group, which it belongs to
  Clock::time_point began = {};
  std::optional<PgRows> rows = {};
  std::exception_ptr failure = {};
};

std::optional<PgRows> StepGroups::run(std::string_view key, PgStep& step, PgDeadline deadline) {
  Waiter& waiter = Waiter::current();
  Member self{key, step, deadline, step.parameters.bytes(), waiter.waker()};
  Member* leader = nullptr;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&self);
    leader = take_next(now_());
  }
  if (leader != &self) {
    if (leader != nullptr) leader->wake();
    const bool has_begun = waiter.sleep_until(deadline, [&] {
      const std::lock_guard lock(mutex_);
      return std::erase(queue_, &self) > 0;
    });
    if (!has_begun) throw ServiceException(Error(ErrorCode::ServerBusy), "the database is slow: other requests wait");
  }
  if (!self.leads.empty()) {
    lead(self);
    end(self.began);
  }
  if (self.failure) std::rethrow_exception(self.failure);
  return std::move(self.rows);
}

// Makes a group of those who wait, if it may begin. Returns its leader, or null.
StepGroups::Member* StepGroups::take_next(Clock::time_point now) {
  const auto is_usual = [&](Clock::time_point began) { return now - began < usual_time_; };
  if (queue_.empty() || std::ranges::count_if(at_work_, is_usual) >= static_cast<std::ptrdiff_t>(kAtWork))
    return nullptr;
  Group group;
  std::size_t bytes = 0;
  bool is_late = false;
  while (!queue_.empty() && group.size() < kMaxSteps && !is_late) {
    Member* const next = queue_.front();
    bytes += next->bytes;
    is_late = next->deadline - now < kLeastShared;
    if (!group.empty() && (bytes > kMaxBytes || is_late)) break;
    group.push_back(next);
    queue_.pop_front();
  }
  Member* const leader = group.front();
  leader->leads = std::move(group);
  leader->began = now;
  at_work_.push_back(now);
  return leader;
}

void StepGroups::begin_overdue() {
  Member* leader = nullptr;
  {
    const std::lock_guard lock(mutex_);
    leader = take_next(now_());
  }
  if (leader != nullptr) leader->wake();
}

std::size_t StepGroups::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void StepGroups::end(Clock::time_point began) {
  Member* leader = nullptr;
  {
    const std::lock_guard lock(mutex_);
    at_work_.erase(std::ranges::find(at_work_, began));
    leader = take_next(now_());
  }
  if (leader != nullptr) leader->wake();
}

// Runs the group of this member until the first deadline of its members, and wakes the others.
void StepGroups::lead(Member& self) {
  Group group = std::move(self.leads);
  std::ranges::sort(group, {}, &Member::key);
  const PgDeadline deadline = (*std::ranges::min_element(group, {}, &Member::deadline))->deadline;
  std::vector<PgStep> steps;
  if (prefix_ && group.size() > 1) steps.push_back({*prefix_});
  const std::size_t first = steps.size();
  for (Member* const member : group) steps.push_back(std::move(member->step));
  std::vector<PgRows> rows;
  std::exception_ptr failure;
  bool is_lost = false;
  try {
    rows = run_(steps, deadline);
  } catch (const PgConnectionLost&) {
    failure = std::current_exception();
    is_lost = true;
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  const bool is_of_one = group.size() == 1;
  for (std::size_t i = 0; i < group.size(); ++i) {
    Member& member = *group[i];
    member.step = std::move(steps[first + i]);
    if (!failure) {
      member.rows = std::move(rows[first + i]);
    } else if (is_lost || is_of_one) {
      member.failure = failure;
    }
    if (&member != &self) member.wake();  // it may be gone when this returns
  }
}

}  // namespace rocktable
