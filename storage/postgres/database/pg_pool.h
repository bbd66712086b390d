// The connections to the database, and whether it answers.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/postgres/database/pg_connection.h"
#include "storage/waiter.h"

namespace rocktable {

// Thread-safe. There are as many connections as calls that use one at the same time.
class PgPool {
 public:
  PgPool(const std::string& url, std::chrono::milliseconds timeout) : hosts_(url, timeout), timeout_(timeout) {}

  // A connection in use. It goes back to the pool, which notes that the database answers, or is closed if it was lost
  // or a transaction is open.
  class Lease {
   public:
    Lease(PgPool& pool, std::unique_ptr<PgConnection> connection) : pool_(pool), connection_(std::move(connection)) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    PgConnection& operator*() const { return *connection_; }
    PgConnection* operator->() const { return connection_.get(); }
    // Rolls back if a transaction is open.
    void roll_back();
    // Closes the connection, after it was lost.
    void drop() { connection_.reset(); }
    std::unique_ptr<PgConnection> release() { return std::move(connection_); }

   private:
    PgPool& pool_;
    std::unique_ptr<PgConnection> connection_;
  };

  // Returns a connection that worked lately, or a new one. If the database does not answer, tries until the deadline,
  // and then throws ServiceException (ServerBusy).
  Lease take(PgDeadline deadline);

  // Of what the running call does.
  PgDeadline deadline() const { return Waiter::current().since() + timeout_; }

  // Closes connections that nobody has used since then.
  void close_idle(PgDeadline since);

  // Notes that the database does not answer, or does again.
  void note_failure(const std::string& reason);
  void note_success();
  std::optional<std::string> unavailable() const;

 private:
  struct Idle {
    std::unique_ptr<PgConnection> connection;
    PgDeadline since;
  };

  std::unique_ptr<PgConnection> take_idle();
  std::unique_ptr<PgConnection> connect(PgDeadline deadline);

  PgHosts hosts_;
  const std::chrono::milliseconds timeout_;
  mutable Mutex mutex_;
  std::vector<Idle> idle_;  // in the order of time; the last is used first
  std::optional<std::string> failure_;
};

}  // namespace rocktable
