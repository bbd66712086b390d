// One connection to the database: prepared statements, sent several at a time (libpq's pipeline mode).
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/pg_values.h"
#include "storage/postgres/statements.h"

namespace rocktable {

using PgDeadline = std::chrono::steady_clock::time_point;

// The server refused a statement, and the transaction with it. The connection can be used on.
class PgError : public std::runtime_error {
 public:
  PgError(std::string state, const std::string& message)
      : std::runtime_error(message), state_(std::move(state)) {}

  const std::string& state() const { return state_; }                          // SQLSTATE, five characters
  bool is_conflict() const { return state_ == "40001" || state_ == "40P01"; }  // begin again
  bool is_duplicate() const { return state_ == "23505"; }
  // The server cannot work now, but may later, or another host of the URL can.
  bool is_passing() const;

 private:
  std::string state_;
};

// The connection ended, or cannot be made. The message is a sentence for the user.
class PgConnectionLost : public std::runtime_error {
 public:
  // `has_no_effect`: what was sent last is known not to be committed. `server_process`: of the connection; 0: not known.
  PgConnectionLost(const std::string& message, bool has_no_effect, std::int64_t server_process = 0)
      : std::runtime_error(message), has_no_effect_(has_no_effect), server_process_(server_process) {}

  bool has_no_effect() const { return has_no_effect_; }
  std::int64_t server_process() const { return server_process_; }

 private:
  bool has_no_effect_;
  std::int64_t server_process_;
};

// A statement and its parameters.
struct PgStep {
  Statement statement;
  PgParameters parameters = {};
};

// Not thread-safe.
class PgConnection {
 public:
  // Connects to the first host of the URL that takes writes. Throws PgConnectionLost.
  PgConnection(const std::string& url, std::chrono::milliseconds timeout);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // Runs SQL without parameters, which may be several statements. Throws PgError, PgConnectionLost.
  void run_script(const std::string& sql);
  // As run_script(), for one statement; returns its rows as text.
  PgRows query(const std::string& sql);

  // Prepares all statements. The tables must exist.
  void prepare();

  // Sends all steps at once and returns the rows of each. Without BEGIN they are one transaction, which is committed when
  // this returns. Throws PgError, PgConnectionLost.
  std::vector<PgRows> run(std::span<const PgStep> steps, PgDeadline deadline);
  PgRows run(const PgStep& step, PgDeadline deadline);

  // Whether a transaction is open.
  bool is_in_transaction() const;

  // Returns whether the server has ended the connection, or said something unasked. Do not use it on then.
  bool is_stale() const;

 private:
  void send(const PgStep& step);
  void flush(PgDeadline deadline);
  PGresult* next_result(PgDeadline deadline);
  void wait_for(short events, PgDeadline deadline);
  [[noreturn]] void lose(const std::string& why, bool has_no_effect);

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::int64_t server_process_ = 0;
};

// What libpq says of a failure. Further lines are advice.
std::string first_line(std::string_view message);

}  // namespace rocktable
