#include "storage/postgres/database/pg_pool.h"

#include <algorithm>
#include <iterator>

#include "odata/error.h"
#include "storage/postgres/database/pg_retry_policy.h"

namespace rocktable {
namespace {

constexpr std::chrono::seconds kLeastTime{1};  // of an attempt that has begun

}  // namespace

PgPool::Lease::~Lease() {
  if (!connection_ || connection_->is_in_transaction()) return;
  const std::lock_guard lock(pool_.mutex_);
  pool_.idle_.push_back({std::move(connection_), Waiter::Clock::now()});
  pool_.failure_.reset();  // a connection that was lost does not come here
}

void PgPool::Lease::roll_back() {
  if (!connection_ || !connection_->is_in_transaction()) return;
  const auto failure =
      attempt([this] { connection_->run({Statement::Rollback}, Waiter::Clock::now() + pool_.timeout_); });
  if (failure) drop();
}

std::unique_ptr<PgConnection> PgPool::take_idle() {
  std::vector<std::unique_ptr<PgConnection>> stale;  // closed without the lock
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back().connection);
    idle_.pop_back();
    if (!connection->is_stale()) return connection;
    stale.push_back(std::move(connection));
  }
  return nullptr;
}

PgPool::Lease PgPool::take(PgDeadline deadline) {
  auto connection = take_idle();
  if (!connection) connection = connect(deadline);
  return {*this, std::move(connection)};
}

std::unique_ptr<PgConnection> PgPool::connect(PgDeadline deadline) {
  for (PgRetryPolicy retry(deadline);;) {
    std::unique_ptr<PgConnection> connection;
    const auto failure = attempt([&] {
      connection = std::make_unique<PgConnection>(hosts_, std::max(deadline, Waiter::Clock::now() + kLeastTime));
      connection->prepare(std::max(deadline, Waiter::Clock::now() + kLeastTime));
    });
    if (!failure) {
      note_success();
      return connection;
    }
    note_failure(failure->what());
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

void PgPool::note_failure(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  failure_ = reason;
}

void PgPool::note_success() {
  const std::lock_guard lock(mutex_);
  failure_.reset();
}

std::optional<std::string> PgPool::unavailable() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace rocktable
