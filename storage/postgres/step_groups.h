// Steps of calls that meet: they share a round trip to the database and a transaction. While two groups are on their
// way, the steps that come wait for the next one. A call that meets nobody waits for nobody.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"
#include "storage/postgres/database/pg_connection.h"
#include "storage/waiter.h"

namespace rocktable {

// Thread-safe.
class StepGroups {
 public:
  using Clock = Waiter::Clock;

  // Runs the steps in one transaction, and returns the rows of each. May throw.
  using Run = std::function<std::vector<PgRows>(const std::vector<PgStep>& steps, PgDeadline deadline)>;

  // `prefix`: comes first in a group of several steps. A group that is on its way for longer than `usual_time` keeps no
  // other from its place: the database is far away, or the group waits for a lock. `now` reads the clock.
  explicit StepGroups(Run run, std::optional<Statement> prefix = {},
                      std::chrono::milliseconds usual_time = std::chrono::milliseconds(10),
                      std::function<Clock::time_point()> now = Clock::now)
      : run_(std::move(run)), prefix_(prefix), usual_time_(usual_time), now_(std::move(now)) {}

  // Runs a single statement. If it refuses, it must return no row, not fail. Returns its rows, or nullopt if its
  // group failed: then it had no effect, `step` is as before, and the caller runs it alone. The steps of a group run
  // in the order of their keys. Throws PgConnectionLost if the group did, so that its effect may not be known;
  // ServiceException (ServerBusy) if it did not begin until the deadline.
  std::optional<PgRows> run(std::string_view key, PgStep& step, PgDeadline deadline);

  // Begins a group if those on their way take long and no other step comes, which would begin it. Call it about twice a
  // second.
  void begin_overdue();

  // Returns the number of steps that wait for a group.
  std::size_t waiting() const;

 private:
  struct Member;
  using Group = std::vector<Member*>;

  Member* take_next(Clock::time_point now);
  void lead(Member& self);
  void end(Clock::time_point began);

  static constexpr std::size_t kAtWork = 2;  // groups on their way
  static constexpr std::size_t kMaxSteps = 16;
  static constexpr std::size_t kMaxBytes = 1 << 20;  // of a group of several steps

  const Run run_;
  const std::optional<Statement> prefix_;
  const std::chrono::milliseconds usual_time_;
  const std::function<Clock::time_point()> now_;
  mutable Mutex mutex_;
  std::vector<Clock::time_point> at_work_;  // when each began
  std::deque<Member*> queue_;
};

}  // namespace rocktable
