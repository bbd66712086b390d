#include "storage/postgres/postgres_store.h"

#include <optional>
#include <thread>

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
constexpr std::chrono::seconds kIdleTime{30};  // then a connection is closed: others may need it

std::string lower(std::string_view name) { return to_lower_ascii(name); }

}  // namespace

// --- Open and close ----------------------------------------------------------------------------------------

PostgresStore::PostgresStore(const StoreOptions& options) : options_(options), pool_(options.url, options.timeout) {
  const SchemaState state = open_schema(options_.url, options_.timeout);
  slot_ = state.front_end % kSlots;
  contents_id_ = state.contents_id;
  housekeeper_ = std::thread([this] { run_housekeeping(); });
}

PostgresStore::~PostgresStore() {
  {
    const std::lock_guard lock(stop_mutex_);
    stopping_ = true;
  }
  stop_wanted_.notify_all();
  housekeeper_.join();
}

// --- Connections -------------------------------------------------------------------------------------------

void PostgresStore::with_connection(Repeats repeats, PgDeadline deadline, const Work& work) const {
  std::optional<PgFailure> unknown;  // of an attempt that may have had an effect
  for (PgRetryPolicy retry(deadline);;) {
    std::optional<PgPool::Lease> lease;
    try {
      lease.emplace(pool_, pool_.take(retry.deadline()).release());
    } catch (const ServiceException&) {
      if (unknown) unknown->raise();
      throw;
    }
    const auto failure = attempt([&] { work(**lease); });
    if (!failure || !failure->lost()) lease->roll_back();
    if (!failure) return;
    const PgError* const error = failure->error();
    if (error == nullptr || error->is_passing()) {
      lease->drop();
      pool_.note_failure(failure->what());
      if (error == nullptr && !failure->lost()->has_no_effect()) {
        if (repeats == Repeats::Nothing) failure->raise();
        if (repeats == Repeats::Write) unknown.emplace(*failure);
      }
    } else if (error->is_duplicate()) {
      failure->raise();  // the caller knows what it means
    } else if (error->is_busy()) {
      throw ServiceException(Error(ErrorCode::ServerBusy), std::string("the database: ") + error->what());
    } else if (!error->is_conflict()) {
      throw std::runtime_error("the database refused a statement: " + std::string(error->what()) + " (SQLSTATE " +
                               error->state() + ")");
    }
    lease.reset();
    if (retry.pause()) continue;
    if (unknown) unknown->raise();
    throw ServiceException(Error(ErrorCode::ServerBusy), std::string("the database: ") + failure->what());
  }
}

std::vector<PgRows> PostgresStore::run(Repeats repeats, PgDeadline deadline, const Steps& steps) const {
  std::vector<PgRows> out;
  with_connection(repeats, deadline, [&](PgConnection& connection) { out = connection.run(steps, pool_.deadline()); });
  return out;
}

// A server that was started anew, or another one that took its place, runs nothing that was sent before.
bool PostgresStore::end_backend(const PgBackend& backend, PgDeadline deadline) const {
  if (!backend.is_known()) return false;
  for (PgRetryPolicy retry(deadline);;) {
    PgStep step{Statement::EndBackend};
    step.parameters.add(backend.process).add(backend.started).add(backend.server_started);
    if (run(Repeats::Read, deadline, {std::move(step)})[0].size() == 0) return true;
    if (!retry.pause()) return false;
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

// After a reset, if the emulator's clock was turned forward and back: as Clock::begin_anew(). The other front ends go
// on.
void PostgresStore::begin_ticks_anew() {
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
  const auto rows = run(Repeats::Nothing, {std::move(step)});
  catalog_.forget(name);
  if (rows[0].size() == 0) return Error(ErrorCode::TableAlreadyExists);
  return {};
}

Result<void> PostgresStore::delete_table(const TableName& name) {
  PgStep step{Statement::DropTable};
  step.parameters.add(name.account).add(lower(name.table));
  const auto rows = run(Repeats::Nothing, {std::move(step)});
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

// This and service_properties() are also called on the threads of connections. They must not wait for a database that
// does not answer.
Result<std::string> PostgresStore::signed_identifiers(const TableName& name) const {
  require_answers();
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

void PostgresStore::require_answers() const {
  if (const auto reason = unavailable())
    throw ServiceException(Error(ErrorCode::ServerBusy), "the database does not answer: " + *reason);
}

std::optional<std::string> PostgresStore::service_properties(std::string_view account) const {
  require_answers();
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
  PgRows rows = std::move(run(Repeats::Read, {std::move(step)})[0]);
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

// --- The house ---------------------------------------------------------------------------------------------

std::string PostgresStore::contents_id() const {
  const std::lock_guard lock(contents_mutex_);
  return contents_id_;
}

void PostgresStore::run_housekeeping() {
  std::unique_lock lock(stop_mutex_);
  while (!stop_wanted_.wait_for(lock, kHouseInterval, [this] { return stopping_; })) {
    lock.unlock();
    pool_.close_idle(Waiter::Clock::now() - kIdleTime);
    try {
      // One attempt, so that a stop waits for no more than that.
      PgPool::Lease lease = pool_.take(std::chrono::steady_clock::now());
      const auto failure = attempt([&] {
        const PgRows contents = lease->run({Statement::Contents}, pool_.deadline());
        pool_.note_success();
        if (contents.size() > 0) {
          const std::lock_guard contents_lock(contents_mutex_);
          contents_id_ = contents.bytes(0, 0);
        }
        sweep_dropped(*lease);
      });
      if (failure && failure->lost()) {
        lease.drop();
        pool_.note_failure(failure->what());
      }
      // The pool has noted a failure, and the next turn tries again. NOLINTNEXTLINE(bugprone-empty-catch)
    } catch (const std::exception&) {
    }
    lock.lock();
  }
}

// Deletes slices of one dropped table. Its row is forgotten only a minute after the deletion, because a write that
// began before may still be on its way.
void PostgresStore::sweep_dropped(PgConnection& connection) {
  constexpr std::int64_t kSlice = 2000;
  constexpr std::int64_t kLatestWrite = 60;  // seconds
  const PgRows claimed = connection.run({Statement::ClaimDropped}, pool_.deadline());
  if (claimed.size() == 0) return;
  const TableId table{static_cast<std::uint64_t>(claimed.number(0, 0))};
  bool was_empty = true;
  while (true) {
    PgStep step{Statement::Sweep};
    step.parameters.add(utf16_table_begin(table)).add(utf16_table_end(table)).add(kSlice);
    const std::int64_t swept = connection.run(step, pool_.deadline()).changed();
    was_empty = was_empty && swept == 0;
    {
      const std::lock_guard lock(stop_mutex_);
      if (stopping_) return;
    }
    if (swept < kSlice) break;
  }
  if (!was_empty || claimed.number(0, 1) < kLatestWrite) return;
  PgStep step{Statement::ForgetDropped};
  step.parameters.add(static_cast<std::int64_t>(table));
  connection.run(step, pool_.deadline());
}

}  // namespace rocktable
