// The connections to the database, and whether it answers.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/postgres/pg_connection.h"

namespace rocktable {

// Thread-safe. There are as many connections as calls that use one at the same time.
class PgPool {
 public:
  PgPool(std::string url, std::chrono::milliseconds timeout) : url_(std::move(url)), timeout_(timeout) {}

  // A connection in use. It goes back to the pool without an open transaction, or is closed.
  class Lease {
   public:
    Lease(PgPool& pool, std::unique_ptr<PgConnection> connection)
        : pool_(pool), connection_(std::move(connection)) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    PgConnection& operator*() const { return *connection_; }
    PgConnection* operator->() const { return connection_.get(); }
    // Closes the connection, after it was lost.
    void drop() { connection_.reset(); }
    std::unique_ptr<PgConnection> release() { return std::move(connection_); }

   private:
    PgPool& pool_;
    std::unique_ptr<PgConnection> connection_;
  };

  // Returns a connection that worked lately, or a new one. If the database does not answer, tries until the deadline, and
  // then throws ServiceException (ServerBusy).
  Lease take(PgDeadline deadline);

  PgDeadline deadline() const { return std::chrono::steady_clock::now() + timeout_; }

  // Notes that the database does not answer, or does again.
  void note_failure(const std::string& reason);
  void note_success();
  std::optional<std::string> unavailable() const;

 private:
  std::unique_ptr<PgConnection> take_idle();
  std::unique_ptr<PgConnection> connect(PgDeadline deadline);

  const std::string url_;
  const std::chrono::milliseconds timeout_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<PgConnection>> idle_;
  std::optional<std::string> failure_;
};

}  // namespace rocktable
