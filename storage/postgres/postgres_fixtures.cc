// The calls for test suites: counts, resets, seeds, clones of accounts. Each is one transaction.
#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_set>

#include "base/text.h"
#include "storage/contents_id.h"
#include "storage/postgres/entity_rows.h"
#include "storage/postgres/postgres_store.h"
#include "storage/postgres/utf16_key.h"

namespace rocktable {
namespace {

TableId new_table_id(PgConnection& connection, PgDeadline deadline) {
  return TableId{static_cast<std::uint64_t>(connection.run({Statement::NewTableId}, deadline).number(0, 0))};
}

PgStep table_row(std::string_view account, std::string_view lower_name, TableId id, std::int64_t created,
                 std::string_view title, std::string_view identifiers) {
  PgStep out{Statement::AddTable};
  out.parameters.add(account)
      .add(lower_name)
      .add(static_cast<std::int64_t>(id))
      .add(created)
      .add(title)
      .add(identifiers);
  return out;
}

}  // namespace

// --- Counts ------------------------------------------------------------------------------------------------

std::uint64_t PostgresStore::count_tables(std::uint64_t limit) const {
  PgStep step{Statement::CountTables};
  step.parameters.add(static_cast<std::int64_t>(limit));
  return static_cast<std::uint64_t>(run(Repeats::Read, {std::move(step)})[0].number(0, 0));
}

std::map<std::string, std::uint64_t> PostgresStore::table_counts() const {
  const auto rows = run(Repeats::Read, {{Statement::TableCounts}});
  std::map<std::string, std::uint64_t> out;
  for (int row = 0; row < rows[0].size(); ++row)
    out.emplace(rows[0].bytes(row, 0), static_cast<std::uint64_t>(rows[0].number(row, 1)));
  return out;
}

// --- Resets ------------------------------------------------------------------------------------------------

// Adds a new id of the contents to the transaction. Returns the rows of the steps.
std::vector<PgRows> PostgresStore::change_contents(Steps steps) {
  const std::string id = new_contents_id();
  steps.push_back({Statement::SetContents});
  steps.back().parameters.add(id);
  auto rows = run(Repeats::Write, steps);
  catalog_.clear();
  const std::lock_guard lock(contents_mutex_);
  contents_id_ = id;
  return rows;
}

void PostgresStore::reset() {
  change_contents({{Statement::DropAll}, {Statement::DropAllProperties}});
  restart_ticks();
}

void PostgresStore::reset_account(std::string_view account) {
  Steps steps{{Statement::DropAccount}, {Statement::DropProperties}};
  for (PgStep& step : steps) step.parameters.add(account);
  steps.push_back({Statement::CountTables});
  steps.back().parameters.add(std::int64_t{1});
  if (change_contents(std::move(steps))[2].number(0, 0) == 0) restart_ticks();
}

Result<void> PostgresStore::reset_table(const TableName& name) {
  const std::int64_t id = run(Repeats::Read, {{Statement::NewTableId}})[0].number(0, 0);
  PgStep step{Statement::EmptyTable};
  step.parameters.add(name.account).add(to_lower_ascii(name.table)).add(id);
  const auto rows = run(Repeats::Write, {std::move(step)});
  catalog_.forget(name);
  // No row: an attempt before, whose answer was lost, did it; or there is no such table.
  if (rows[0].size() == 0 && !find_table(name)) return Error(ErrorCode::TableNotFound);
  change_contents({});
  return {};
}

// --- Seeds -------------------------------------------------------------------------------------------------

namespace {

// Writes the rows of one table in statements of bounded size.
class SharedSeedWriter {
 public:
  SharedSeedWriter(PgConnection& connection, TableId table, std::int64_t ticks, PgDeadline deadline)
      : connection_(connection), table_(table), ticks_(ticks), deadline_(deadline) {}

  // Returns false if an entity with these keys exists.
  bool put(const Entity& entity) {
    std::string key = utf16_key(table_, entity.key.partition_key, entity.key.row_key);
    if (!hashes_.insert(std::hash<std::string>()(key)).second && exists(key)) return false;
    records_.push_back(marked_record(0, entity.properties));
    bytes_ += key.size() + records_.back().size();
    keys_.push_back(std::move(key));
    if (bytes_ >= kBytes || keys_.size() >= kRows) flush();
    return true;
  }

  void flush() {
    if (keys_.empty()) return;
    PgStep step{Statement::InsertMany};
    step.parameters.add(std::span<const std::string>(keys_)).add(std::span<const std::string>(records_)).add(ticks_);
    connection_.run(step, deadline_);
    keys_.clear();
    records_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = 1 << 20;
  static constexpr std::size_t kRows = 1000;

  bool exists(const std::string& key) {
    flush();
    PgStep step{Statement::Get};
    step.parameters.add(key);
    return connection_.run(step, deadline_).size() > 0;
  }

  PgConnection& connection_;
  TableId table_;
  std::int64_t ticks_;
  PgDeadline deadline_;
  std::unordered_set<std::size_t> hashes_;  // of all keys: eight bytes an entity
  std::vector<std::string> keys_, records_;
  std::size_t bytes_ = 0;
};

// What takes long has no deadline of its own.
PgDeadline far_deadline() { return std::chrono::steady_clock::now() + std::chrono::hours(24); }

}  // namespace

Result<SeedCount> PostgresStore::seed(const std::vector<SeedTable>& tables) {
  PgPool::Lease lease = pool_.take(pool_.deadline());
  PgConnection& connection = *lease;
  const PgDeadline deadline = far_deadline();
  connection.run({Statement::Begin}, deadline);
  std::int64_t ticks = ticks_of(connection.run({Statement::Ticks}, deadline).number(0, 0));
  note_ticks(ticks);
  SeedCount count{tables.size(), 0};
  for (const SeedTable& table : tables) {
    const TableId id = new_table_id(connection, deadline);
    SharedSeedWriter writer(connection, id, ticks, deadline);
    while (const auto entity = table.next()) {
      if (!writer.put(*entity)) return Error(ErrorCode::EntityAlreadyExists);
      ++count.entities;
    }
    writer.flush();
    try {
      connection.run(table_row(table.account, to_lower_ascii(table.name), id, ticks, table.name, ""), deadline);
    } catch (const PgError& error) {
      if (error.is_duplicate()) return Error(ErrorCode::TableAlreadyExists);
      throw;
    }
  }
  connection.run({Statement::Commit}, deadline);
  catalog_.clear();
  return count;
}

// --- Clones ------------------------------------------------------------------------------------------------

namespace {

PgRows tables_of(PgConnection& connection, std::string_view account, PgDeadline deadline) {
  constexpr std::int64_t kMost = 1'000'000;
  PgStep step{Statement::ListTables};
  step.parameters.add(account).add(std::string_view()).add(std::string_view("\xFF")).add(kMost);
  return connection.run(step, deadline);
}

// Throws PgError: a conflict or a duplicate, if another clone into the account is faster.
Result<AccountClone> copy_account(PgConnection& connection, std::string_view from, std::string_view to) {
  const PgDeadline deadline = far_deadline();
  connection.run({Statement::BeginCopy}, deadline);
  const PgRows tables = tables_of(connection, from, deadline);
  if (tables.size() == 0) return Error(ErrorCode::ResourceNotFound);
  if (tables_of(connection, to, deadline).size() > 0) return Error(ErrorCode::TableAlreadyExists);
  // Of two clones into one account, the second waits here for the first, and then has a conflict.
  PgStep properties{Statement::CopyProperties};
  properties.parameters.add(to).add(from);
  connection.run(properties, deadline);

  AccountClone out{static_cast<std::uint64_t>(tables.size()), 0};
  for (int row = 0; row < tables.size(); ++row) {
    PgStep find{Statement::FindTable};
    find.parameters.add(from).add(tables.bytes(row, 0));
    const PgRows table = connection.run(find, deadline);
    const TableId former{static_cast<std::uint64_t>(table.number(0, 0))};
    const TableId id = new_table_id(connection, deadline);
    PgStep copy{Statement::CopyEntities};
    copy.parameters.add(utf16_table_begin(id)).add(utf16_table_begin(former)).add(utf16_table_end(former));
    out.entities += static_cast<std::uint64_t>(connection.run(copy, deadline).changed());
    connection.run(table_row(to, tables.bytes(row, 0), id, table.number(0, 1), table.bytes(0, 2), table.bytes(0, 3)),
                   deadline);
  }
  connection.run({Statement::Commit}, deadline);
  return out;
}

}  // namespace

Result<AccountClone> PostgresStore::clone_account(std::string_view from, std::string_view to) {
  PgPool::Lease lease = pool_.take(pool_.deadline());
  try {
    auto out = copy_account(*lease, from, to);
    catalog_.clear();
    return out;
  } catch (const PgError& error) {
    if (!error.is_duplicate() && !error.is_conflict()) throw;
  }
  lease->run({Statement::Rollback}, pool_.deadline());
  const bool has_tables = tables_of(*lease, to, pool_.deadline()).size() > 0;
  return Error(has_tables ? ErrorCode::TableAlreadyExists : ErrorCode::ServerBusy);
}

// --- Snapshots -------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse_snapshot() {
  throw NotSupportedByStore("This store has no snapshots: they need the embedded store.");
}

}  // namespace

Result<std::optional<SnapshotInfo>> PostgresStore::take_snapshot(std::string_view, bool) { refuse_snapshot(); }

std::vector<SnapshotInfo> PostgresStore::snapshots() const { refuse_snapshot(); }

Result<void> PostgresStore::delete_snapshot(std::string_view) { refuse_snapshot(); }

Result<void> PostgresStore::restore_snapshot(std::string_view) { refuse_snapshot(); }

}  // namespace rocktable
