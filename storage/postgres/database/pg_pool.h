// The connections to the database.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "storage/postgres/database/pg_connection.h"
#include "storage/postgres/database/pg_health.h"
#include "storage/waiter.h"

namespace rocktable {

// What a connection is for. A scan has it for as long as a page takes, which may be seconds; other work only for a
// moment. So scans leave a quarter of the places to others, if there are two or more.
enum class PgUse { Moment, Scan };

// Thread-safe. Opens a connection when a call needs one and none is free, up to a limit.
class PgPool {
 public:
  // `timeout`: of requests. `limit`: of connections that are open.
  PgPool(const std::string& url, const PgDialect& dialect, std::chrono::milliseconds timeout, std::size_t limit,
         PgHealth& health)
      : hosts_(url, timeout), dialect_(dialect), timeout_(timeout), limit_(limit), health_(health) {}

  // A connection in use. It goes back to the pool, which notes that the database answers, or is closed if it was lost
  // or a transaction is open.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), use_(other.use_), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->take_back(std::move(connection_), use_);
    }

    PgConnection& operator*() const { return *connection_; }
    PgConnection* operator->() const { return connection_.get(); }
    // Rolls back if a transaction is open.
    void roll_back();
    // Closes the connection, after it was lost.
    void drop() { connection_.reset(); }

   private:
    friend class PgPool;
    Lease(PgPool& pool, PgUse use, std::unique_ptr<PgConnection> connection)
        : pool_(&pool), use_(use), connection_(std::move(connection)) {}

    PgPool* pool_;
    PgUse use_;
    std::unique_ptr<PgConnection> connection_;
  };

  // Returns a connection that worked lately, or a new one. If all are in use, waits for one. If the database does not
  // answer, tries until the deadline. Throws ServiceException (ServerBusy) then.
  Lease take(PgDeadline deadline, PgUse use = PgUse::Moment);

  // Returns a new connection that does not count, for one who must not wait for calls. Makes one attempt. Throws
  // PgConnectionLost, PgError.
  std::unique_ptr<PgConnection> connect_apart(PgDeadline deadline);

  // Of what the running call does.
  PgDeadline deadline() const { return Waiter::current().since() + timeout_; }

  // Closes connections that nobody has used since then.
  void close_idle(PgDeadline since);

  struct Counts {
    std::size_t limit, in_use, idle, waiting;  // connections; calls that wait for one
  };
  Counts counts() const;

  PgHealth& health() const { return health_; }

 private:
  struct Idle {
    std::unique_ptr<PgConnection> connection;
    PgDeadline since;
  };
  struct Waiting {
    PgUse use;
    std::function<void()> wake = {};  // once `connection` is set; null: it may open one
    std::unique_ptr<PgConnection> connection = {};
  };

  std::unique_ptr<PgConnection> take_idle(std::vector<std::unique_ptr<PgConnection>>& stale);
  std::unique_ptr<PgConnection> take_place(PgDeadline deadline, PgUse use);
  void take_back(std::unique_ptr<PgConnection> connection, PgUse use);
  bool may_scan() const { return scans_ < max_scans_; }
  std::unique_ptr<PgConnection> connect(PgDeadline deadline);

  PgHosts hosts_;
  const PgDialect& dialect_;
  const std::chrono::milliseconds timeout_;
  const std::size_t limit_;
  const std::size_t max_scans_ = limit_ > 1 ? limit_ - (limit_ + 3) / 4 : 1;
  PgHealth& health_;
  mutable Mutex mutex_;
  std::size_t in_use_ = 0;
  std::size_t scans_ = 0;   // of those
  std::vector<Idle> idle_;  // in the order of time; the last is used first
  std::list<Waiting*> waiting_;
};

}  // namespace rocktable
