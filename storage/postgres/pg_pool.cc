#include "storage/postgres/pg_pool.h"

#include <algorithm>
#include <thread>

#include "odata/error.h"
#include "storage/call_waiter.h"

namespace rocktable {

constexpr std::chrono::milliseconds kReconnectInterval{100};

PgPool::Lease::~Lease() {
  if (!connection_) return;
  try {
    if (connection_->is_in_transaction()) connection_->run({Statement::Rollback}, pool_.deadline());
  } catch (const std::exception&) {
    return;
  }
  const std::lock_guard lock(pool_.mutex_);
  pool_.idle_.push_back(std::move(connection_));
}

std::unique_ptr<PgConnection> PgPool::take_idle() {
  std::vector<std::unique_ptr<PgConnection>> stale;  // closed without the lock
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (!connection->is_stale()) return connection;
    stale.push_back(std::move(connection));
  }
  return nullptr;
}

PgPool::Lease PgPool::take(PgDeadline deadline) {
  auto connection = take_idle();
  if (!connection) run_blocking([&] { connection = connect(deadline); });
  return {*this, std::move(connection)};
}

std::unique_ptr<PgConnection> PgPool::connect(PgDeadline deadline) {
  while (true) {
    std::string reason;
    try {
      auto connection = std::make_unique<PgConnection>(url_, timeout_);
      connection->prepare();
      note_success();
      return connection;
    } catch (const PgConnectionLost& lost) {
      reason = lost.what();
    } catch (const PgError& error) {
      reason = error.what();
    }
    note_failure(reason);
    if (std::chrono::steady_clock::now() + kReconnectInterval > deadline)
      throw ServiceException(Error(ErrorCode::ServerBusy), "the database does not answer: " + reason);
    std::this_thread::sleep_for(kReconnectInterval);
  }
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
