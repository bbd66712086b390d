// Entity group transactions.
//
// A single write that needs no earlier properties is one statement, as are insertions of several entities. Any other
// transaction takes two round trips: it locks the rows that it names, in the order of their keys, applies the writes,
// and then sends the result together with COMMIT.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include "base/text.h"
#include "storage/postgres/entity_rows.h"
#include "storage/postgres/postgres_store.h"
#include "storage/postgres/utf16_key.h"
#include "storage/stop_watch.h"

namespace rocktable {
namespace {

// A transaction whose table has another id now, or whose rows another one inserted meanwhile, begins again.
constexpr int kMaxBeginnings = 10;

constexpr std::chrono::seconds kResolveTime{1};  // at least, to find out what a lost commit did

// The properties that an insertion or a replacement stores: it does not depend on the entity before.
EncodedProperties stored_properties(const Mutation& write, std::string_view partition_key) {
  Mutation plain{write.kind, write.row_key, {}, write.properties};
  EncodedProperties scratch;
  return **apply(plain, partition_key, std::nullopt, scratch);
}

}  // namespace

class PostgresStore::Commit {
 public:
  Commit(PostgresStore& store, const TableName& name, std::string_view partition_key, std::span<const Mutation> writes)
      : store_(store),
        name_(name),
        lower_name_(to_lower_ascii(name.table)),
        partition_key_(partition_key),
        writes_(writes),
        deadline_(store.pool_.deadline()) {}

  CommitResult<DateTime> run() {
    const RowLocks::Lock lock(store_.row_locks_, hashes(), deadline_);
    if (!lock.is_held() || Waiter::Clock::now() >= deadline_)
      throw ServiceException(Error(ErrorCode::ServerBusy), "other requests write the same rows");
    bool reads_first = !is_one_statement();
    for (int beginnings = 0; beginnings < kMaxBeginnings; ++beginnings) {
      if (beginnings > 0 && Waiter::Clock::now() >= deadline_) break;
      table_ = store_.find_table(name_);
      if (!table_) return WriteRefusal{0, Error(ErrorCode::TableNotFound)};
      keys_.clear();
      for (const Mutation& write : writes_) keys_.push_back(utf16_key(table_->id, partition_key_, write.row_key));
      const auto done = reads_first ? read_modify_write() : write_at_once();
      if (done) {
        if (*done) store_.note_ticks((**done).ticks);
        return *done;
      }
      reads_first = true;  // to find out why it was refused
    }
    throw ServiceException(Error(ErrorCode::ServerBusy), "other front ends write the same rows");
  }

 private:
  using Done = std::optional<CommitResult<DateTime>>;  // nullopt: begin again

  std::vector<std::size_t> hashes() const {
    std::vector<std::size_t> out;
    for (const Mutation& write : writes_) {
      std::string text = std::string(name_.account) + '\0' + lower_name_ + '\0';
      text.append(partition_key_).append(1, '\0').append(write.row_key);
      out.push_back(std::hash<std::string>()(text));
    }
    return out;
  }

  bool is_one_statement() const {
    if (writes_.size() == 1) return writes_.front().kind != WriteKind::Merge;
    return std::ranges::all_of(writes_, [](const Mutation& write) { return write.kind == WriteKind::Insert; });
  }

  // --- One statement

  Done write_at_once() {
    const std::int64_t floor = store_.floor();
    PgStep step = writes_.size() == 1 ? single_write(floor) : insertions(floor);
    std::optional<PgRows> rows;
    const std::int64_t begin = earliest_ticks(floor);
    const auto failure = attempt([&] {
      if (writes_.size() == 1) rows = store_.writes_.run(keys_.front(), step, deadline_);
      if (!rows) rows = std::move(store_.run(Repeats::Nothing, deadline_, {step})[0]);
    });
    if (failure) return after(*failure, [&](std::string_view, std::int64_t ticks) { return ticks >= begin; });
    if (rows->size() == static_cast<int>(writes_.size())) return DateTime{ticks_of_write(*rows, floor)};
    store_.catalog_.forget(name_);  // the table may have another id
    return std::nullopt;
  }

  // Rows with earlier ticks were written before this attempt: the clock of the database is less than so much behind.
  std::int64_t earliest_ticks(std::int64_t floor) const {
    constexpr std::int64_t kMostBehind = 600 * kTicksPerSecond;
    return std::max(floor, store_.options_.time->now().ticks - kMostBehind);
  }

  // A deletion returns the ticks of the row that is gone, and leaves none. Its own are later than those of any write
  // before.
  std::int64_t ticks_of_write(const PgRows& rows, std::int64_t floor) const {
    const std::int64_t ticks = rows.number(0, 0);
    return writes_.front().kind == WriteKind::Delete ? std::max(floor, store_.in_slot_after(ticks)) : ticks;
  }

  void add_guard(PgParameters& parameters) const {
    parameters.add(name_.account).add(lower_name_).add(static_cast<std::int64_t>(table_->id));
  }

  PgStep single_write(std::int64_t floor) const {
    const Mutation& write = writes_.front();
    const Condition& condition = write.condition;
    const bool matches = condition.kind == Condition::Kind::ETag;
    PgStep out{};
    if (write.kind == WriteKind::Delete) {
      out.statement = matches ? Statement::DeleteMatch : Statement::DeleteOne;
      out.parameters.add(keys_.front());
    } else {
      out.statement = write.kind == WriteKind::Insert           ? Statement::InsertOne
                      : condition.kind == Condition::Kind::None ? Statement::PutOne
                      : matches                                 ? Statement::ReplaceMatch
                                                                : Statement::ReplaceOne;
      out.parameters.add(keys_.front())
          .add(marked_record(mark_, stored_properties(write, partition_key_)))
          .add(store_.clock_offset())
          .add(floor)
          .add(store_.slot_);
    }
    if (matches && write.kind != WriteKind::Insert) out.parameters.add(condition.etag.ticks);
    add_guard(out.parameters);
    return out;
  }

  // In the order of keys, so that two transactions never wait for each other.
  PgStep insertions(std::int64_t floor) const {
    std::map<std::string, std::string> rows;
    for (std::size_t i = 0; i < writes_.size(); ++i)
      rows.emplace(keys_[i], marked_record(mark_, writes_[i].properties));
    PgStep out{Statement::InsertNew};
    add_rows(out.parameters, rows);
    out.parameters.add(store_.clock_offset()).add(floor).add(store_.slot_);
    add_guard(out.parameters);
    return out;
  }

  static void add_rows(PgParameters& parameters, const std::map<std::string, std::string>& rows) {
    std::vector<std::string> keys, records;
    for (const auto& [key, record] : rows) {
      keys.push_back(key);
      records.push_back(record);
    }
    parameters.add(std::span<const std::string>(keys)).add(std::span<const std::string>(records));
  }

  // --- Two round trips

  struct Before {
    int row;
    std::int64_t ticks;
  };

  Done read_modify_write() {
    Done out;
    const auto failure = attempt([&] {
      store_.with_connection(Repeats::Nothing, deadline_,
                             [&](PgConnection& connection) { out = read_modify_write(connection); });
    });
    if (!failure) return out;
    if (failure->lost() && !is_committing_) {  // it must not lock the rows any more
      store_.end_work(failure->lost()->backend(), resolve_deadline());
      return std::nullopt;
    }
    return after(*failure, [this](std::string_view key, std::int64_t ticks) {
      const auto before = before_.find(key);
      return before == before_.end() || before->second != ticks;
    });
  }

  Done read_modify_write(PgConnection& connection) {
    is_committing_ = false;
    const bool merges =
        std::ranges::any_of(writes_, [](const Mutation& write) { return write.kind == WriteKind::Merge; });
    Steps steps(4);
    steps[0].statement = Statement::Begin;
    steps[1].statement = Statement::CheckTable;
    add_guard(steps[1].parameters);
    steps[2].statement = merges ? Statement::LockRows : Statement::LockTicks;
    steps[2].parameters.add(std::span<const std::string>(keys_));
    steps[3].statement = Statement::Ticks;
    auto found = connection.run(steps, store_.pool_.deadline());
    if (found[1].size() == 0) {
      store_.catalog_.forget(name_);
      return std::nullopt;
    }
    PgRows& rows = found[2];
    std::map<std::string_view, Before> before;
    before_.clear();
    std::int64_t ticks = store_.ticks_of(found[3].number(0, 0));
    for (int row = 0; row < rows.size(); ++row) {
      before.emplace(rows.bytes(row, 0), Before{row, rows.number(row, 1)});
      before_.emplace(rows.bytes(row, 0), rows.number(row, 1));
      ticks = std::max(ticks, store_.in_slot_after(rows.number(row, 1)));
    }

    std::map<std::string, std::string> inserted, updated;
    std::vector<std::string> deleted;
    EncodedProperties scratch;
    std::vector<PropertyView> properties;
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      std::optional<EntityView> previous;
      const auto there = before.find(keys_[i]);
      if (there != before.end()) {
        properties.clear();
        if (merges) decode_entity(record_with_ticks(rows, there->second.row, 1, 2), properties);
        previous = EntityView{partition_key_, writes_[i].row_key, {there->second.ticks}, properties};
      }
      const auto next = apply(writes_[i], partition_key_, previous, scratch);
      if (!next) return CommitResult<DateTime>(WriteRefusal{i, next.error()});
      if (*next == nullptr) {
        deleted.push_back(keys_[i]);
      } else {
        (previous ? updated : inserted).emplace(keys_[i], marked_record(mark_, **next));
      }
    }

    Steps changes;
    const auto add = [&](Statement statement, const std::map<std::string, std::string>& changed) {
      if (changed.empty()) return;
      changes.push_back({statement});
      add_rows(changes.back().parameters, changed);
      changes.back().parameters.add(ticks);
    };
    add(Statement::UpdateMany, updated);
    add(Statement::InsertMany, inserted);
    if (!deleted.empty()) {
      changes.push_back({Statement::DeleteMany});
      changes.back().parameters.add(std::span<const std::string>(deleted));
    }
    changes.push_back({Statement::Commit});
    is_committing_ = true;
    connection.run(changes, store_.pool_.deadline());
    return CommitResult<DateTime>(DateTime{ticks});
  }

  // --- A failure

  // `is_changed`: whether a row with this key and these ticks was written since the attempt began.
  using IsChanged = std::function<bool(std::string_view key, std::int64_t ticks)>;

  Done after(const PgFailure& failure, const IsChanged& is_changed) {
    if (failure.lost()) return resolve_lost_commit(*failure.lost(), is_changed);
    if (failure.error()->is_guard()) store_.catalog_.forget(name_);
    if (!failure.error()->is_refusal()) failure.raise();
    return std::nullopt;
  }

  enum class Effect { Committed, None, Unknown };

  // The answer to a commit is lost. If a row has the mark of this write, it is committed. If none has, the server works
  // on it no more, and nobody has written the rows since, it is not committed, and begins again. Otherwise nobody
  // knows: the commit may still be on its way, others may have replaced what it wrote, and a deletion leaves no mark.
  // If the row of a deletion is there, it is not committed.
  Done resolve_lost_commit(const PgConnectionLost& lost, const IsChanged& is_changed) {
    std::int64_t ticks = 0;
    Effect effect = Effect::Unknown;
    try {
      effect = find_effect(lost.backend(), is_changed, ticks);
      // If the database does not answer, the effect is not known. NOLINTNEXTLINE(bugprone-empty-catch)
    } catch (const ServiceException&) {
    }
    switch (effect) {
      case Effect::Committed:
        return CommitResult<DateTime>(DateTime{ticks});
      case Effect::None:
        return std::nullopt;
      case Effect::Unknown:
        break;
    }
    store_.health_.note_unknown_effect();
    throw std::runtime_error("the answer to a commit was lost, and its effect is not known: " +
                             std::string(lost.what()));
  }

  PgDeadline resolve_deadline() const { return std::max(deadline_, Waiter::Clock::now() + kResolveTime); }

  // The mark is looked for first: if it is there, nothing has to end, which would need all nodes of Citus.
  Effect find_effect(const PgBackend& backend, const IsChanged& is_changed, std::int64_t& ticks) const {
    const PgDeadline deadline = resolve_deadline();
    const Rows before = look_at_rows(is_changed, deadline);
    const bool is_over = !before.have_mark && store_.end_work(backend, deadline);
    const Rows rows = is_over ? look_at_rows(is_changed, deadline) : before;
    ticks = rows.ticks;
    if (rows.have_mark) return Effect::Committed;
    const bool only_deletes =
        std::ranges::all_of(writes_, [](const Mutation& write) { return write.kind == WriteKind::Delete; });
    return is_over && !rows.are_changed && (!only_deletes || rows.are_there) ? Effect::None : Effect::Unknown;
  }

  struct Rows {
    bool are_there, are_changed, have_mark;
    std::int64_t ticks;  // of the one that has the mark
  };

  Rows look_at_rows(const IsChanged& is_changed, PgDeadline deadline) const {
    PgStep step{Statement::GetMany};
    step.parameters.add(std::span<const std::string>(keys_));
    const PgRows rows = std::move(store_.run(Repeats::Read, deadline, {std::move(step)})[0]);
    Rows out{rows.size() > 0, false, false, 0};
    for (int row = 0; row < rows.size() && !out.have_mark; ++row) {
      out.ticks = rows.number(row, 1);
      out.have_mark = mark_of(rows, row, 2) == mark_;
      out.are_changed = out.are_changed || is_changed(rows.bytes(row, 0), out.ticks);
    }
    return out;
  }

  PostgresStore& store_;
  const TableName& name_;
  const std::string lower_name_;
  std::string_view partition_key_;
  std::span<const Mutation> writes_;
  std::shared_ptr<const SharedTable> table_;
  std::vector<std::string> keys_;
  const WriteMark mark_ = new_write_mark();
  const PgDeadline deadline_;
  std::map<std::string, std::int64_t, std::less<>> before_;  // ticks of the rows that were there
  bool is_committing_ = false;
};

CommitResult<DateTime> PostgresStore::commit(const TableName& name, std::string_view partition_key,
                                             std::span<const Mutation> writes, RequestStats& stats) {
  const StopWatch watch(stats.storage_time);
  return Commit(*this, name, partition_key, writes).run();
}

}  // namespace rocktable
