#include "storage/postgres/database/pg_connection.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "storage/waiter.h"

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

std::string name_of(Statement statement) { return "s" + std::to_string(static_cast<int>(statement)); }

}  // namespace

std::string first_line(std::string_view message) {
  const auto end = message.find('\n');
  return std::string(message.substr(0, end));
}

PgConnection::PgConnection(PgHosts& hosts, const PgHealth& health, PgDeadline deadline)
    : health_(health), connection_(nullptr, &PQfinish) {
  if (!hosts.mistake().empty()) throw PgConnectionLost(first_line(hosts.mistake()), true);
  const std::size_t best = hosts.best();
  std::optional<PgFailure> failure;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t place = (best + i) % hosts.size();
    const PgDeadline now = Waiter::Clock::now();
    if (failure && now >= deadline) break;
    failure = attempt([&] { connect(hosts[place], std::min(deadline, now + hosts.connect_timeout())); });
    if (failure) continue;
    hosts.note_reached(place);
    PQsetNoticeReceiver(connection_.get(), &PgConnection::receive_notice, this);
    return;
  }
  failure->raise();
}

// libpq looks up names and computes keys of TLS in its steps, so they may block.
void PgConnection::connect(const PgHost& host, PgDeadline deadline) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : host) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  Waiter& waiter = Waiter::current();
  waiter.run_blocking([&] { connection_.reset(PQconnectStartParams(names.data(), values.data(), 0)); });
  PGconn* const connection = connection_.get();
  if (connection == nullptr) throw std::bad_alloc();
  auto next = PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (next != PGRES_POLLING_OK) {
    if (next == PGRES_POLLING_FAILED) throw PgConnectionLost(first_line(PQerrorMessage(connection)), true);
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!await(events, deadline))
      throw PgConnectionLost("connection to server at \"" + std::string(PQhost(connection)) + "\", port " +
                                 PQport(connection) + " failed: timeout expired",
                             true);
    waiter.run_blocking([&] { next = PQconnectPoll(connection); });
  }
}

PgConnection::~PgConnection() = default;

void PgConnection::receive_notice(void* connection, const PGresult* notice) {
  auto& self = *static_cast<PgConnection*>(connection);
  std::string message = message_of(notice);
  if (self.dialect_->is_doubtful(message)) self.doubt_ = std::move(message);
}

PgRows PgConnection::query(const std::string& sql) {
  PGresult* const result = PQexec(connection_.get(), sql.c_str());
  PgRows rows(result);
  if (PQstatus(connection_.get()) != CONNECTION_OK) lose(first_line(PQerrorMessage(connection_.get())), false);
  const auto status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) throw PgError(state_of(result), message_of(result));
  return rows;
}

void PgConnection::run_script(const std::string& sql) { query(sql); }

void PgConnection::prepare(const PgDialect& dialect, PgDeadline deadline) {
  dialect_ = &dialect;
  const PgLayout layout = dialect.layout();
  PGconn* const connection = connection_.get();
  if (PQsetnonblocking(connection, 1) != 0 || PQenterPipelineMode(connection) != 1)
    lose(first_line(PQerrorMessage(connection)), true);
  const auto settings = session_settings(layout);
  for (const std::string& sql : settings)
    check_sent(PQsendQueryParams(connection, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, kBinary));
  std::size_t steps = settings.size() + 2;
  if (dialect.prepares()) {
    const auto& statements = all_statements(layout);
    for (const StatementText& text : statements)
      check_sent(PQsendPrepare(connection, name_of(text.statement).c_str(), text.sql.c_str(), 0, nullptr));
    steps += statements.size();
  }
  send({Statement::Backend});
  send({Statement::Format});
  const auto rows = receive(steps, deadline);
  const PgRows& backend = rows[rows.size() - 2];
  // PgBouncer, which may stand between, gives a connection a number of its own.
  if (backend.size() == 1 && backend.number(0, 0) == PQbackendPID(connection))
    backend_ = {backend.number(0, 1), backend.number(0, 2), backend.number(0, 3)};
  const std::int64_t format = rows.back().size() == 1 ? rows.back().number(0, 0) : 0;
  if (const auto refusal = refuse_format(format)) lose(*refusal, true);
  if (format != static_cast<std::int64_t>(layout)) lose("its tables are of another kind than at the start", true);
}

bool PgConnection::is_in_transaction() const { return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE; }

bool PgConnection::is_stale() const {
  pollfd socket{PQsocket(connection_.get()), POLLIN, 0};
  return PQstatus(connection_.get()) != CONNECTION_OK || poll(&socket, 1, 0) != 0;
}

PgRows PgConnection::run(const PgStep& step, PgDeadline deadline) {
  return std::move(run({&step, 1}, deadline).front());
}

std::vector<PgRows> PgConnection::run(std::span<const PgStep> steps, PgDeadline deadline) {
  return dialect_->run(steps, [&](std::span<const PgStep> sent) {
    for (const PgStep& step : sent) send(step);
    return receive(sent.size(), deadline);
  });
}

// Ends the pipeline, and returns the rows of each of its steps.
std::vector<PgRows> PgConnection::receive(std::size_t expected, PgDeadline deadline) {
  check_sent(PQpipelineSync(connection_.get()));
  doubt_.clear();
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
        if (error) fail(*error);
        if (!doubt_.empty()) lose(doubt_, false, Cause::Node);
        return out;
      case PGRES_PIPELINE_ABORTED:
        break;
      default: {
        const std::string state = state_of(result);
        const PgError said(state, message_of(result));
        // The server says so before it has done the last step, so the transaction is aborted.
        if (PQstatus(connection_.get()) != CONNECTION_OK)
          lose(said.what(), !state.empty() && out.size() < expected && dialect_->effect_after(said) == PgEffect::None);
        if (!error) error.emplace(said);
      }
    }
  }
}

void PgConnection::fail(const PgError& error) {
  switch (dialect_->effect_after(error)) {
    case PgEffect::None:
      throw PgError(error);
    case PgEffect::NoneOfNode:
      throw PgError::of_node(error);
    case PgEffect::Unknown:
      lose(error.what(), false, Cause::Node);
  }
  std::abort();
}

void PgConnection::send(const PgStep& step) {
  const auto values = step.parameters.pointers();
  const auto lengths = step.parameters.lengths();
  const std::vector<int> formats(values.size(), kBinary);
  PGconn* const connection = connection_.get();
  const int size = step.parameters.size();
  check_sent(dialect_->prepares()
                 ? PQsendQueryPrepared(connection, name_of(step.statement).c_str(), size, values.data(), lengths.data(),
                                       formats.data(), kBinary)
                 : PQsendQueryParams(connection, text_of(step.statement, dialect_->layout()).sql.c_str(), size, nullptr,
                                     values.data(), lengths.data(), formats.data(), kBinary));
}

void PgConnection::check_sent(int is_sent) {
  if (is_sent != 1) lose(first_line(PQerrorMessage(connection_.get())), false);
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
  if (!await(events, deadline)) lose("there is no answer in time", false, Cause::Late);
}

bool PgConnection::await(short events, PgDeadline deadline) const {
  constexpr std::chrono::seconds kPart{1};  // then looks whether anybody shall still wait
  while (!health_.stops_waiting()) {
    const PgDeadline end = std::min(deadline, Waiter::Clock::now() + kPart);
    if (Waiter::current().await_socket(PQsocket(connection_.get()), events, end)) return true;
    if (end == deadline) return false;
  }
  return false;
}

void PgConnection::lose(const std::string& why, bool has_no_effect, Cause cause) {
  connection_.reset();
  throw PgConnectionLost(why, has_no_effect, backend_, cause);
}

}  // namespace rocktable
