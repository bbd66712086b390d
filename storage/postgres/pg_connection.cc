#include "storage/postgres/pg_connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "storage/call_waiter.h"

namespace rocktable {
namespace {

constexpr int kBinary = 1;

std::string state_of(const PGresult* result) {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state != nullptr ? state : "";
}

std::string message_of(const PGresult* result) {
  const char* const primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return first_line(primary != nullptr ? primary : PQresultErrorMessage(result));
}

// Defaults. What the URL says goes before.
PGconn* connect(const std::string& url, std::chrono::milliseconds timeout) {
  const auto seconds = std::to_string(
      std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(timeout).count(), 2, 10));
  const std::array<const char*, 8> names{"application_name",
                                         "connect_timeout",
                                         "target_session_attrs",
                                         "keepalives_idle",
                                         "tcp_user_timeout",
                                         "gssencmode",
                                         "dbname",
                                         nullptr};
  const std::string user_timeout = std::to_string(timeout.count());
  const std::array<const char*, 8> values{"rocktable",          seconds.c_str(), "read-write", "5",
                                          user_timeout.c_str(), "disable",       url.c_str(),  nullptr};
  constexpr int kExpandUrl = 1;
  return PQconnectdbParams(names.data(), values.data(), kExpandUrl);
}

std::string name_of(Statement statement) { return "s" + std::to_string(static_cast<int>(statement)); }

}  // namespace

std::string first_line(std::string_view message) {
  const auto end = message.find('\n');
  return std::string(message.substr(0, end));
}

bool PgError::is_passing() const {
  // Connection exceptions, too many connections, shutdown and start, a server that has become a standby.
  return state_.starts_with("08") || state_ == "53300" || state_.starts_with("57P") || state_ == "25006";
}

PgConnection::PgConnection(const std::string& url, std::chrono::milliseconds timeout)
    : connection_(connect(url, timeout), &PQfinish) {
  PGconn* const connection = connection_.get();
  if (connection == nullptr) throw std::bad_alloc();
  if (PQstatus(connection) != CONNECTION_OK)
    throw PgConnectionLost(first_line(PQerrorMessage(connection)), true);
  PQsetNoticeProcessor(connection, [](void*, const char*) {}, nullptr);
  server_process_ = PQbackendPID(connection);
}

PgConnection::~PgConnection() = default;

PgRows PgConnection::query(const std::string& sql) {
  PGresult* const result = PQexec(connection_.get(), sql.c_str());
  PgRows rows(result);
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    lose(first_line(PQerrorMessage(connection_.get())), false);
  const auto status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw PgError(state_of(result), message_of(result));
  return rows;
}

void PgConnection::run_script(const std::string& sql) { query(sql); }

void PgConnection::prepare() {
  run_script(session_settings());
  for (const auto& [statement, sql] : all_statements()) {
    const std::unique_ptr<PGresult, PgResultDeleter> result(
        PQprepare(connection_.get(), name_of(statement).c_str(), sql.c_str(), 0, nullptr));
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) continue;
    if (PQstatus(connection_.get()) != CONNECTION_OK)
      lose(first_line(PQerrorMessage(connection_.get())), true);
    throw PgError(state_of(result.get()), message_of(result.get()));
  }
  if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1)
    lose(first_line(PQerrorMessage(connection_.get())), true);
}

bool PgConnection::is_in_transaction() const {
  return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
}

bool PgConnection::is_stale() const {
  pollfd socket{PQsocket(connection_.get()), POLLIN, 0};
  return PQstatus(connection_.get()) != CONNECTION_OK || poll(&socket, 1, 0) != 0;
}

PgRows PgConnection::run(const PgStep& step, PgDeadline deadline) {
  return std::move(run({&step, 1}, deadline).front());
}

std::vector<PgRows> PgConnection::run(std::span<const PgStep> steps, PgDeadline deadline) {
  for (const PgStep& step : steps) send(step);
  if (PQpipelineSync(connection_.get()) != 1) lose(first_line(PQerrorMessage(connection_.get())), false);
  flush(deadline);
  std::vector<PgRows> out;
  std::optional<PgError> error;
  while (true) {
    PGresult* const result = next_result(deadline);
    if (result == nullptr) continue;  // after the rows of each step
    PgRows rows(result);
    switch (PQresultStatus(result)) {
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        out.push_back(std::move(rows));
        break;
      case PGRES_PIPELINE_SYNC:
        if (error) throw PgError(*error);
        return out;
      case PGRES_PIPELINE_ABORTED:
        break;
      default: {
        const std::string state = state_of(result);
        // The server says so before it has done the last step, so the transaction is aborted.
        if (PQstatus(connection_.get()) != CONNECTION_OK)
          lose(message_of(result), !state.empty() && out.size() < steps.size());
        if (!error) error.emplace(state, message_of(result));
      }
    }
  }
}

void PgConnection::send(const PgStep& step) {
  const auto values = step.parameters.pointers();
  const auto lengths = step.parameters.lengths();
  const std::vector<int> formats(values.size(), kBinary);
  if (PQsendQueryPrepared(connection_.get(), name_of(step.statement).c_str(), step.parameters.size(),
                          values.data(), lengths.data(), formats.data(), kBinary) != 1)
    lose(first_line(PQerrorMessage(connection_.get())), false);
}

void PgConnection::flush(PgDeadline deadline) {
  while (true) {
    const int left = PQflush(connection_.get());
    if (left == 0) return;
    if (left < 0) return;  // what the server said before it hung up may still be read
    wait_for(POLLIN | POLLOUT, deadline);
    if (PQconsumeInput(connection_.get()) != 1) return;
  }
}

PGresult* PgConnection::next_result(PgDeadline deadline) {
  while (PQisBusy(connection_.get()) != 0) {
    wait_for(POLLIN, deadline);
    if (PQconsumeInput(connection_.get()) != 1 && PQisBusy(connection_.get()) != 0)
      lose(first_line(PQerrorMessage(connection_.get())), false);
  }
  PGresult* const result = PQgetResult(connection_.get());
  if (result == nullptr && PQstatus(connection_.get()) != CONNECTION_OK)
    lose(first_line(PQerrorMessage(connection_.get())), false);
  return result;
}

void PgConnection::wait_for(short events, PgDeadline deadline) {
  const int descriptor = PQsocket(connection_.get());
  if (CallWaiter* const waiter = CallWaiter::current()) {
    if (!waiter->await_socket(descriptor, events, deadline)) lose("the database does not answer", false);
    return;
  }
  const auto rest =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  pollfd socket{descriptor, events, 0};
  if (rest <= 0 || poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(rest, 1 << 30))) == 0)
    lose("the database does not answer", false);
}

void PgConnection::lose(const std::string& why, bool has_no_effect) {
  connection_.reset();
  throw PgConnectionLost(why, has_no_effect, server_process_);
}

}  // namespace rocktable
