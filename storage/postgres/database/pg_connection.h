// One connection to the database: prepared statements, sent several at a time (libpq's pipeline mode).
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/database/pg_dialect.h"
#include "storage/postgres/database/pg_failure.h"
#include "storage/postgres/database/pg_health.h"
#include "storage/postgres/database/pg_hosts.h"

namespace rocktable {

using PgDeadline = std::chrono::steady_clock::time_point;

// Not thread-safe.
class PgConnection {
 public:
  // Connects to the first of the hosts that takes writes. Throws PgConnectionLost, also if the deadline is over before.
  // `health`: also if nobody shall wait any more.
  PgConnection(PgHosts& hosts, const PgHealth& health, PgDeadline deadline);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // Runs SQL without parameters, which may be several statements. Throws PgError, PgConnectionLost.
  void run_script(const std::string& sql);
  // As run_script(), for one statement; returns its rows as text.
  PgRows query(const std::string& sql);

  // Sets the connection up, and prepares all statements, in one round trip. The tables must exist. Throws PgError,
  // PgConnectionLost (also if the tables have another layout).
  void prepare(const PgDialect& dialect, PgDeadline deadline);

  // Sends all steps at once and returns the rows of each. Without BEGIN they are one transaction, which is committed
  // when this returns. Throws PgError, PgConnectionLost.
  std::vector<PgRows> run(std::span<const PgStep> steps, PgDeadline deadline);
  PgRows run(const PgStep& step, PgDeadline deadline);

  // Whether a transaction is open.
  bool is_in_transaction() const;

  // Returns whether the server has ended the connection, or said something unasked. Do not use it on then.
  bool is_stale() const;

 private:
  void connect(const PgHost& host, PgDeadline deadline);
  static void receive_notice(void* connection, const PGresult* notice);
  void send(const PgStep& step);
  void check_sent(int is_sent);
  std::vector<PgRows> receive(std::size_t expected, PgDeadline deadline);
  [[noreturn]] void fail(const PgError& error);
  void flush(PgDeadline deadline);
  PGresult* next_result(PgDeadline deadline);
  void wait_for(short events, PgDeadline deadline);
  bool await(short events, PgDeadline deadline) const;
  using Cause = PgConnectionLost::Cause;
  [[noreturn]] void lose(const std::string& why, bool has_no_effect, Cause cause = Cause::Database);

  const PgHealth& health_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  PgBackend backend_;
  const PgDialect* dialect_ = &dialect_of(PgLayout::Plain);
  std::string doubt_;  // what makes the steps that were sent last doubtful; empty: nothing
};

// What libpq says of a failure. Further lines are advice.
std::string first_line(std::string_view message);

}  // namespace rocktable
