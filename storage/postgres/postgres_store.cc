#include "storage/postgres/postgres_store.h"

#include <mutex>
#include <optional>

#include "base/text.h"
#include "storage/format/entity_codec.h"
#include "storage/postgres/database/pg_retry_policy.h"
#include "storage/postgres/entity_rows.h"
#include "storage/postgres/store_schema.h"
#include "storage/postgres/utf16_key.h"
#include "storage/stop_watch.h"

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kHouseInterval{500};
constexpr std::chrono::milliseconds kWatchTime{
    1200};  // a database that does not answer a read of a row within this is not ready
// An idle connection is closed after this time: others may need it. The short one is for a server that has no more.
constexpr std::chrono::seconds kEndTime{1};  // for what is not a call of a client, but keeps one waiting
constexpr std::chrono::seconds kIdleTime{30};
constexpr std::chrono::seconds kIdleTimeOfFullServer{1};

// Statements for several nodes do not meet: they would run one after the other, and a transaction on several nodes
// takes longer.
std::chrono::milliseconds group_time(PgLayout layout) {
  return std::chrono::milliseconds(layout == PgLayout::Distributed ? 0 : 10);
}

std::string lower(std::string_view name) { return to_lower_ascii(name); }

}  // namespace

// --- Open and close ----------------------------------------------------------------------------------------

PostgresStore::PostgresStore(const StoreOptions& options)
    : options_(options),
      health_(options.warn),
      schema_(open_schema(options, health_)),
      pool_(options.url, dialect_of(schema_.layout), options.timeout, options.max_connections, health_),
      reads_([this](const Steps& steps, PgDeadline deadline) { return run(Repeats::Read, deadline, steps); }, {},
             group_time(schema_.layout)),
      // A write whose row another front end has locked must not keep others waiting: then all of its group are refused,
      // and each runs alone.
      writes_([this](const Steps& steps, PgDeadline deadline) { return run(Repeats::Nothing, deadline, steps); },
              Statement::BrieflyLocked, group_time(schema_.layout)),
      slot_(schema_.front_end % kSlots),
      contents_id_(schema_.contents_id) {
  watcher_ = StoppableThread([this](StopSignal& stop) {
    do {  // at once, because it must know the clock before that goes back
      watch_database();
    } while (!stop.wait_for(kHouseInterval));
  });
  sweeper_ = StoppableThread([this](StopSignal& stop) {
    while (!stop.wait_for(kHouseInterval)) sweep_dropped(stop);
  });
}

// --- Connections -------------------------------------------------------------------------------------------

void PostgresStore::with_connection(Repeats repeats, PgDeadline deadline, const Work& work) const {
  std::optional<PgFailure> unknown;  // of an attempt that may have had an effect
  const auto raise_unknown = [&] {
    if (!unknown) return;
    health_.note_unknown_effect();
    unknown->raise();
  };
  for (PgRetryPolicy retry(health_, deadline);;) {
    std::optional<PgPool::Lease> lease;
    try {
      lease.emplace(pool_.take(retry.deadline()));
    } catch (const ServiceException&) {
      raise_unknown();
      throw;
    }
    const auto failure = attempt([&] { work(**lease); });
    if (!failure || !failure->lost()) lease->roll_back();
    if (!failure) return;
    const PgError* const error = failure->error();
    if (error == nullptr || error->is_passing()) {
      if (failure->is_of_database()) health_.note_failure(failure->what());
      if (error == nullptr || !error->is_of_node()) lease->drop();
      if (error == nullptr && !failure->lost()->has_no_effect()) {
        if (repeats == Repeats::Nothing) failure->raise();
        if (repeats == Repeats::Write) unknown.emplace(*failure);
      }
    } else if (error->is_refusal()) {
      failure->raise();  // the caller knows what it means
    } else if (error->is_busy()) {
      raise_unknown();
      throw ServiceException(Error(ErrorCode::ServerBusy), std::string("the database: ") + error->what());
    } else if (!error->is_conflict()) {
      throw std::runtime_error("the database refused a statement: " + std::string(error->what()) + " (SQLSTATE " +
                               error->state() + ")");
    }
    lease.reset();
    // What was sent before must not be done after what is sent now, nor after the answer.
    if (unknown && failure->lost() && !end_work(failure->lost()->backend(), retry.deadline())) raise_unknown();
    if (retry.pause()) continue;
    raise_unknown();
    throw ServiceException(Error(ErrorCode::ServerBusy), std::string("the database: ") + failure->what());
  }
}

std::vector<PgRows> PostgresStore::run(Repeats repeats, PgDeadline deadline, const Steps& steps) const {
  std::vector<PgRows> out;
  with_connection(repeats, deadline, [&](PgConnection& connection) { out = connection.run(steps, deadline); });
  return out;
}

std::vector<PgRows> PostgresStore::run_once(const PgStep& step) const {
  std::vector<PgRows> out;
  const auto failure = attempt([&] { out = run(Repeats::Nothing, {step}); });
  if (!failure) return out;
  if (failure->lost()) {
    health_.note_unknown_effect();
    end_late_work(failure->lost()->backend());
  }
  failure->raise();
}

// A server that was started anew, or another one that took its place, runs nothing that was sent before.
bool PostgresStore::end_work(const PgBackend& backend, PgDeadline deadline) const {
  if (!backend.is_known()) return false;
  for (PgRetryPolicy retry(health_, deadline);;) {
    PgStep step{Statement::EndWork};
    step.parameters.add(backend.work).add(backend.started).add(backend.server_started);
    if (run(Repeats::Read, deadline, {std::move(step)})[0].size() == 0) return true;
    if (!retry.pause()) return false;
  }
}

void PostgresStore::end_late_work(const PgBackend& backend) const {
  try {
    end_work(backend, Waiter::Clock::now() + kEndTime);
    // The database does not answer: nobody can end what it still does. NOLINTNEXTLINE(bugprone-empty-catch)
  } catch (const ServiceException&) {
  }
}

// --- Time --------------------------------------------------------------------------------------------------

// While the emulator's clock stands still there is none.
std::optional<std::int64_t> PostgresStore::clock_offset() const {
  const TimeSource::Setting setting = options_.time->setting();
  if (setting.frozen) return std::nullopt;
  return setting.offset;
}

std::int64_t PostgresStore::in_slot_after(std::int64_t ticks) const { return (ticks / kSlots + 1) * kSlots + slot_; }

std::int64_t PostgresStore::floor() const {
  const TimeSource::Setting setting = options_.time->setting();
  const std::int64_t own = in_slot_after(last_ticks_);
  return setting.frozen ? std::max(own, in_slot_after(setting.frozen->ticks - kSlots)) : own;
}

// The ticks for a write at `clock`, the time of the database.
std::int64_t PostgresStore::ticks_of(std::int64_t clock) const {
  const auto offset = clock_offset();
  return offset ? std::max(in_slot_after(clock + *offset - kSlots), floor()) : floor();
}

void PostgresStore::note_ticks(std::int64_t ticks) const {
  std::int64_t last = last_ticks_;
  while (last < ticks && !last_ticks_.compare_exchange_weak(last, ticks)) {
  }
}

// Called after a reset: if the emulator's clock was turned forward and back, ticks begin again at its time. Those of
// other front ends go on.
void PostgresStore::restart_ticks() {
  const std::int64_t latest = options_.time->now().ticks + 60 * kTicksPerSecond;
  if (last_ticks_ > latest) last_ticks_ = latest - 60 * kTicksPerSecond;
}

// --- Tables ------------------------------------------------------------------------------------------------

std::shared_ptr<const SharedTable> PostgresStore::find_table(const TableName& name) const {
  return catalog_.find(name, [&]() -> std::shared_ptr<const SharedTable> {
    PgStep step{Statement::FindTable};
    step.parameters.add(name.account).add(lower(name.table));
    const auto rows = run(Repeats::Read, {std::move(step)});
    if (rows[0].size() == 0) return nullptr;
    return std::make_shared<const SharedTable>(SharedTable{TableId{static_cast<std::uint64_t>(rows[0].number(0, 0))},
                                                           {rows[0].number(0, 1)},
                                                           std::string(rows[0].bytes(0, 2)),
                                                           std::string(rows[0].bytes(0, 3))});
  });
}

Result<void> PostgresStore::create_table(const TableName& name) {
  PgStep step{Statement::CreateTable};
  const auto frozen = options_.time->setting().frozen;
  step.parameters.add(name.account)
      .add(lower(name.table))
      .add(name.table)
      .add(clock_offset())
      .add(frozen ? std::optional(frozen->ticks) : std::nullopt);
  const auto rows = run_once(step);
  catalog_.forget(name);
  if (rows[0].size() == 0) return Error(ErrorCode::TableAlreadyExists);
  return {};
}

Result<void> PostgresStore::delete_table(const TableName& name) {
  PgStep step{Statement::DropTable};
  step.parameters.add(name.account).add(lower(name.table));
  const auto rows = run_once(step);
  catalog_.forget(name);
  if (rows[0].size() == 0) return Error(ErrorCode::ResourceNotFound);
  return {};
}

std::optional<Table> PostgresStore::get_table(const TableName& name) const {
  const auto table = find_table(name);
  if (!table) return std::nullopt;
  return Table{table->name, table->created};
}

std::optional<Table> PostgresStore::list_tables(std::string_view account, const KeyRanges& names, int page_size,
                                                const std::function<bool(const Table&)>& visit) const {
  constexpr std::int64_t kFetch = 1000;
  const std::string after_all = "\xFF";
  int kept = 0;
  for (const KeyRange& range : names) {
    std::string begin = range.begin.partition_key;
    const std::string end = range.end ? range.end->partition_key : after_all;
    while (true) {
      PgStep step{Statement::ListTables};
      step.parameters.add(account).add(begin).add(end).add(kFetch);
      const PgRows rows = std::move(run(Repeats::Read, {std::move(step)})[0]);
      for (int row = 0; row < rows.size(); ++row) {
        Table table{std::string(rows.bytes(row, 2)), {rows.number(row, 1)}};
        if (kept == page_size) return table;
        if (visit(table)) ++kept;
      }
      if (rows.size() < kFetch) break;
      begin = std::string(rows.bytes(rows.size() - 1, 0)) + '\0';
    }
  }
  return std::nullopt;
}

Result<std::string> PostgresStore::signed_identifiers(const TableName& name) const {
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  return table->identifiers;
}

Result<void> PostgresStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  PgStep step{Statement::SetIdentifiers};
  step.parameters.add(name.account).add(lower(name.table)).add(document);
  const auto rows = run(Repeats::Write, {std::move(step)});
  catalog_.forget(name);
  if (rows[0].changed() == 0) return Error(ErrorCode::TableNotFound);
  return {};
}

std::optional<std::string> PostgresStore::service_properties(std::string_view account) const {
  PgStep step{Statement::GetProperties};
  step.parameters.add(account);
  const auto rows = run(Repeats::Read, {std::move(step)});
  if (rows[0].size() == 0) return std::nullopt;
  return std::string(rows[0].bytes(0, 0));
}

void PostgresStore::set_service_properties(std::string_view account, std::string_view document) {
  PgStep step{Statement::SetProperties};
  step.parameters.add(account).add(document);
  run(Repeats::Write, {std::move(step)});
}

// --- Entities ----------------------------------------------------------------------------------------------

Result<bool> PostgresStore::get(const TableName& name, const EntityKey& key,
                                const std::function<void(const EntityView&)>& visit, RequestStats& stats) const {
  const StopWatch watch(stats.storage_time);
  const auto table = find_table(name);
  if (!table) return Error(ErrorCode::TableNotFound);
  PgStep step{Statement::Get};
  const std::string encoded = utf16_key(table->id, key.partition_key, key.row_key);
  step.parameters.add(encoded);
  auto found = reads_.run(encoded, step, pool_.deadline());
  if (!found) found = std::move(run(Repeats::Read, {std::move(step)})[0]);
  PgRows& rows = *found;
  ++stats.ranges;
  if (rows.size() == 0) return false;
  ++stats.entities_scanned;
  ++stats.entities_returned;
  const std::string_view record = record_with_ticks(rows, 0, 0, 1);
  stats.bytes_read += encoded.size() + record.size();
  thread_local std::vector<PropertyView> properties;  // keeps its memory
  const DateTime timestamp = decode_entity(record, properties);
  visit({key.partition_key, key.row_key, timestamp, properties});
  return true;
}

// --- For operators -----------------------------------------------------------------------------------------

std::string PostgresStore::kind() const {
  if (schema_.layout == PgLayout::Plain) return {};
  return "Citus, " + std::to_string(schema_.nodes) + (schema_.nodes == 1 ? " node" : " nodes");
}

std::vector<StoreMetric> PostgresStore::metrics() const {
  constexpr std::string_view kConnections = "rocktable_store_connections";
  constexpr std::string_view kOfConnections = "Connections to the database that are open.";
  const PgPool::Counts pool = pool_.counts();
  return {
      {kConnections, "state=\"in_use\"", kOfConnections, false, pool.in_use},
      {kConnections, "state=\"idle\"", kOfConnections, false, pool.idle},
      {"rocktable_store_connections_limit", "", "The value of --storeConnections.", false, pool.limit},
      {"rocktable_store_calls_waiting", "", "Calls that wait for a connection.", false, pool.waiting},
      {"rocktable_store_failures_total", "", "Connections that were lost or refused.", true, health_.failures()},
      {"rocktable_store_retries_total", "", "Attempts that were made again.", true, health_.retries()},
      {"rocktable_store_unknown_effects_total", "", "Writes whose effect could not be found out: 500.", true,
       health_.unknown_effects()},
  };
}

// --- In the background -------------------------------------------------------------------------------------

std::string PostgresStore::contents_id() const {
  const std::lock_guard lock(contents_mutex_);
  return contents_id_;
}

// On a connection of its own, so that calls do not keep it waiting.
void PostgresStore::watch_database() {
  reads_.begin_overdue();
  writes_.begin_overdue();
  bool is_full = false;
  const auto failure = attempt([&] {
    if (!watching_) watching_ = pool_.connect_apart(pool_.deadline());
    const PgRows found = watching_->run({Statement::Watch}, Waiter::Clock::now() + kWatchTime);
    health_.note_success();
    if (found.size() == 0) return;
    is_full = found.number(0, 2) != 0;
    const auto bound = server_clock_.observe(found.number(0, 1), Waiter::Clock::now());
    if (const auto offset = clock_offset(); bound && offset) note_ticks(*bound + *offset);
    const std::lock_guard lock(contents_mutex_);
    contents_id_ = found.bytes(0, 0);
  });
  const auto now = Waiter::Clock::now();
  if (failure) {
    watching_.reset();
    health_.note_failure(failure->what());
  }
  health_.report(now);
  pool_.close_idle(now - (is_full ? kIdleTimeOfFullServer : kIdleTime));
}

// Deletes slices of one dropped table. Its row is forgotten only a minute after the deletion, because a write that
// began before may still be on its way.
void PostgresStore::sweep_dropped(const StopSignal& stop) {
  constexpr std::int64_t kSlice = 2000;
  constexpr std::int64_t kLatestWrite = 60;  // seconds
  if (unavailable()) return;
  // Each statement waits in the line of connections anew, so that calls need not wait for all of them.
  const auto run_in_turn = [this](const PgStep& step) { return std::move(run(Repeats::Nothing, {step})[0]); };
  const auto sweep = [&] {
    if (run_in_turn({Statement::FindDropped}).size() == 0) return;
    const PgRows claimed = run_in_turn({Statement::ClaimDropped});
    if (claimed.size() == 0) return;
    const TableId table{static_cast<std::uint64_t>(claimed.number(0, 0))};
    bool was_empty = true;
    for (std::int64_t swept = kSlice; swept == kSlice;) {
      PgStep step{Statement::Sweep};
      step.parameters.add(utf16_table_begin(table)).add(utf16_table_end(table)).add(kSlice);
      swept = run_in_turn(step).changed();
      was_empty = was_empty && swept == 0;
      if (stop.is_requested()) return;
    }
    if (!was_empty || claimed.number(0, 1) < kLatestWrite) return;
    PgStep step{Statement::ForgetDropped};
    step.parameters.add(static_cast<std::int64_t>(table));
    run_in_turn(step);
  };
  try {
    sweep();
    // Others note a failure, and the next turn tries again. NOLINTNEXTLINE(bugprone-empty-catch)
  } catch (const std::exception&) {
  }
}

}  // namespace rocktable
