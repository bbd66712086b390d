#include "storage/postgres/database/pg_pool.h"

#include <algorithm>
#include <iterator>

#include "odata/error.h"
#include "storage/postgres/database/pg_retry_policy.h"

namespace rocktable {
namespace {

constexpr std::chrono::seconds kLeastTime{1};  // of an attempt that has begun

PgDeadline with_least_time(PgDeadline deadline) { return std::max(deadline, Waiter::Clock::now() + kLeastTime); }

}  // namespace

void PgPool::Lease::roll_back() {
  if (!connection_ || !connection_->is_in_transaction()) return;
  const auto failure =
      attempt([this] { connection_->run({Statement::Rollback}, Waiter::Clock::now() + pool_->timeout_); });
  if (failure) drop();
}

PgPool::Lease PgPool::take(PgDeadline deadline, PgUse use) {
  Lease lease(*this, use, take_place(deadline, use));
  if (!lease.connection_) lease.connection_ = connect(deadline);
  return lease;
}

// Returns one that worked lately, or null. Needs the lock.
std::unique_ptr<PgConnection> PgPool::take_idle(std::vector<std::unique_ptr<PgConnection>>& stale) {
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back().connection);
    idle_.pop_back();
    if (!connection->is_stale()) return connection;
    stale.push_back(std::move(connection));
  }
  return nullptr;
}

// Returns a connection, or null if one may be opened. The caller has a place among the limit then.
std::unique_ptr<PgConnection> PgPool::take_place(PgDeadline deadline, PgUse use) {
  std::vector<std::unique_ptr<PgConnection>> stale;  // closed without the lock
  Waiter& waiter = Waiter::current();
  Waiting self{use};
  {
    const std::lock_guard lock(mutex_);
    if (use != PgUse::Scan || may_scan()) {
      auto connection = take_idle(stale);
      if (connection || in_use_ < limit_) {
        ++in_use_;
        if (use == PgUse::Scan) ++scans_;
        return connection;
      }
    }
    self.wake = waiter.waker();
    waiting_.push_back(&self);
  }
  const bool has_place = waiter.sleep_until(deadline, [&] {
    const std::lock_guard lock(mutex_);
    return waiting_.remove(&self) > 0;
  });
  if (!has_place)
    throw ServiceException(Error(ErrorCode::ServerBusy),
                           "all " + std::to_string(limit_) + " connections to the database are in use");
  return std::move(self.connection);
}

// Gives the place to the first that waits for one and may have it.
void PgPool::take_back(std::unique_ptr<PgConnection> connection, PgUse use) {
  if (connection && connection->is_in_transaction()) connection.reset();
  if (connection) health_.note_success();
  const std::lock_guard lock(mutex_);
  if (use == PgUse::Scan) --scans_;
  const auto place =
      std::ranges::find_if(waiting_, [this](const Waiting* one) { return one->use != PgUse::Scan || may_scan(); });
  if (place != waiting_.end()) {
    Waiting& next = **place;
    waiting_.erase(place);
    if (next.use == PgUse::Scan) ++scans_;
    next.connection = std::move(connection);
    next.wake();
    return;
  }
  --in_use_;
  if (connection) idle_.push_back({std::move(connection), Waiter::Clock::now()});
}

std::unique_ptr<PgConnection> PgPool::connect_apart(PgDeadline deadline) {
  auto out = std::make_unique<PgConnection>(hosts_, health_, deadline);
  out->prepare(dialect_, deadline);
  return out;
}

std::unique_ptr<PgConnection> PgPool::connect(PgDeadline deadline) {
  for (PgRetryPolicy retry(health_, deadline);;) {
    std::unique_ptr<PgConnection> connection;
    const auto failure = attempt([&] { connection = connect_apart(with_least_time(deadline)); });
    if (!failure) {
      health_.note_success();
      return connection;
    }
    health_.note_failure(failure->what());
    if (!retry.pause())
      throw ServiceException(Error(ErrorCode::ServerBusy),
                             std::string("the database does not answer: ") + failure->what());
  }
}

void PgPool::close_idle(PgDeadline since) {
  std::vector<Idle> closed;  // without the lock
  const std::lock_guard lock(mutex_);
  const auto end = std::ranges::find_if(idle_, [since](const Idle& one) { return one.since >= since; });
  std::move(idle_.begin(), end, std::back_inserter(closed));
  idle_.erase(idle_.begin(), end);
}

PgPool::Counts PgPool::counts() const {
  const std::lock_guard lock(mutex_);
  return {limit_, in_use_, idle_.size(), waiting_.size()};
}

}  // namespace rocktable
