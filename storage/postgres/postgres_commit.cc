// Entity group transactions.
//
// A single write that needs no earlier properties is one statement, as are insertions of several entities. Any other
// transaction takes two round trips: it locks the rows that it names, in the order of their keys, applies the writes, and
// then sends the result together with COMMIT.
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "odata/text.h"
#include "storage/postgres/entity_rows.h"
#include "storage/postgres/postgres_engine.h"
#include "storage/postgres/utf16_key.h"

namespace rocktable {
namespace {

// A transaction whose table has another id now, or whose rows another one inserted meanwhile, begins again.
constexpr int kMostBeginnings = 10;

// The properties that an insertion or a replacement stores: it does not depend on the entity before.
EncodedProperties stored_properties(const Mutation& write, std::string_view partition_key) {
  Mutation plain{write.kind, write.row_key, {}, write.properties};
  EncodedProperties scratch;
  return **apply(plain, partition_key, std::nullopt, scratch);
}

}  // namespace

class PostgresEngine::Commit {
 public:
  Commit(PostgresEngine& engine, const TableName& name, std::string_view partition_key,
         std::span<const Mutation> writes)
      : engine_(engine),
        name_(name),
        lower_name_(to_lower_ascii(name.table)),
        partition_key_(partition_key),
        writes_(writes) {}

  CommitResult<DateTime> run() {
    const BusyRows::Claim claim(engine_.busy_rows_, hashes());
    bool looks_first = !is_one_statement();
    for (int beginnings = 0; beginnings < kMostBeginnings; ++beginnings) {
      table_ = engine_.find_table(name_);
      if (!table_) return WriteRefusal{0, Error(ErrorCode::TableNotFound)};
      keys_.clear();
      for (const Mutation& write : writes_)
        keys_.push_back(utf16_key(table_->id, partition_key_, write.row_key));
      const auto done = looks_first ? look_and_write() : write_at_once();
      if (done) {
        if (*done) engine_.note_ticks((**done).ticks);
        return *done;
      }
      looks_first = true;  // to find out why it was refused
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
    return std::ranges::all_of(writes_,
                               [](const Mutation& write) { return write.kind == WriteKind::Insert; });
  }

  // --- One statement

  Done write_at_once() {
    const std::int64_t floor = engine_.floor();
    const PgStep step = writes_.size() == 1 ? single_write(floor) : insertions(floor);
    try {
      const auto rows = engine_.run(false, {step});
      if (rows[0].size() == static_cast<int>(writes_.size())) return DateTime{ticks_of_write(rows[0], floor)};
      engine_.catalog_.forget(name_);  // the table may have another id
      return std::nullopt;
    } catch (const PgConnectionLost& lost) {
      return find_out(lost,
                      [&](std::int64_t ticks) { return ticks >= floor && ticks % kSlots == engine_.slot_; });
    } catch (const PgError& error) {
      if (!error.is_duplicate()) throw;
      return std::nullopt;
    }
  }

  // A deletion returns the ticks of the row that is gone, and leaves none. Its own are later than those of any write before.
  std::int64_t ticks_of_write(const PgRows& rows, std::int64_t floor) const {
    const std::int64_t ticks = rows.number(0, 0);
    return writes_.front().kind == WriteKind::Delete ? std::max(floor, engine_.in_slot_after(ticks)) : ticks;
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
      add_guard(out.parameters);
    } else {
      out.statement = write.kind == WriteKind::Insert           ? Statement::InsertOne
                      : condition.kind == Condition::Kind::None ? Statement::PutOne
                      : matches                                 ? Statement::ReplaceMatch
                                                                : Statement::ReplaceOne;
      out.parameters.add(keys_.front())
          .add(record_without_ticks(stored_properties(write, partition_key_)))
          .add(engine_.clock_offset())
          .add(floor)
          .add(engine_.slot_);
      add_guard(out.parameters);
    }
    if (matches && write.kind != WriteKind::Insert) out.parameters.add(condition.etag.ticks);
    return out;
  }

  // In the order of keys, so that two transactions never wait for each other.
  PgStep insertions(std::int64_t floor) const {
    std::map<std::string, std::string> rows;
    for (std::size_t i = 0; i < writes_.size(); ++i)
      rows.emplace(keys_[i], record_without_ticks(writes_[i].properties));
    PgStep out{Statement::InsertNew};
    add_rows(out.parameters, rows);
    out.parameters.add(engine_.clock_offset()).add(floor).add(engine_.slot_);
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

  Done look_and_write() {
    Done out;
    try {
      engine_.with_connection(false, [&](PgConnection& connection) { out = look_and_write(connection); });
    } catch (const PgConnectionLost& lost) {
      if (!is_committing_) return std::nullopt;
      return find_out(lost, [this](std::int64_t ticks) { return ticks == ticks_; });
    } catch (const PgError& error) {
      if (!error.is_duplicate()) throw;
      return std::nullopt;
    }
    return out;
  }

  Done look_and_write(PgConnection& connection) {
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
    auto found = connection.run(steps, engine_.pool_.deadline());
    if (found[1].size() == 0) {
      engine_.catalog_.forget(name_);
      return std::nullopt;
    }
    PgRows& rows = found[2];
    std::map<std::string_view, Before> before;
    ticks_ = engine_.ticks_of(found[3].number(0, 0));
    for (int row = 0; row < rows.size(); ++row) {
      before.emplace(rows.bytes(row, 0), Before{row, rows.number(row, 1)});
      ticks_ = std::max(ticks_, engine_.in_slot_after(rows.number(row, 1)));
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
      const auto after = apply(writes_[i], partition_key_, previous, scratch);
      if (!after) return CommitResult<DateTime>(WriteRefusal{i, after.error()});
      if (*after == nullptr) {
        deleted.push_back(keys_[i]);
      } else {
        (previous ? updated : inserted).emplace(keys_[i], record_without_ticks(**after));
      }
    }

    Steps changes;
    const auto add = [&](Statement statement, const std::map<std::string, std::string>& changed) {
      if (changed.empty()) return;
      changes.push_back({statement});
      add_rows(changes.back().parameters, changed);
      changes.back().parameters.add(ticks_);
    };
    add(Statement::UpdateMany, updated);
    add(Statement::InsertMany, inserted);
    if (!deleted.empty()) {
      changes.push_back({Statement::DeleteMany});
      changes.back().parameters.add(std::span<const std::string>(deleted));
    }
    changes.push_back({Statement::Commit});
    is_committing_ = true;
    connection.run(changes, engine_.pool_.deadline());
    return CommitResult<DateTime>(DateTime{ticks_});
  }

  // --- A lost answer

  // The answer to a commit is lost. If a row has ticks of this write, it is committed: no other front end and no other
  // write of this one can have made them. If none has, and the server works on it no more, it is not committed, and begins
  // again. Otherwise nobody knows: the commit may still be on its way, and a deletion leaves no ticks.
  template <class IsMine>
  Done find_out(const PgConnectionLost& lost, const IsMine& is_mine) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < writes_.size(); ++i)
      if (writes_[i].kind != WriteKind::Delete) keys.push_back(keys_[i]);
    const bool is_over = !keys.empty() && engine_.awaits_end(lost.server_process());
    if (!keys.empty()) {
      PgStep step{Statement::GetMany};
      step.parameters.add(std::span<const std::string>(keys));
      const auto rows = engine_.run(true, {std::move(step)});
      for (int row = 0; row < rows[0].size(); ++row)
        if (is_mine(rows[0].number(row, 1))) return CommitResult<DateTime>(DateTime{rows[0].number(row, 1)});
    }
    if (is_over) return std::nullopt;
    throw std::runtime_error("the answer to a commit was lost, and its effect is not known: " +
                             std::string(lost.what()));
  }

  PostgresEngine& engine_;
  const TableName& name_;
  const std::string lower_name_;
  std::string_view partition_key_;
  std::span<const Mutation> writes_;
  std::shared_ptr<const SharedTable> table_;
  std::vector<std::string> keys_;
  std::int64_t ticks_ = 0;
  bool is_committing_ = false;
};

CommitResult<DateTime> PostgresEngine::commit(const TableName& name, std::string_view partition_key,
                                              std::span<const Mutation> writes, RequestStats& stats) {
  const StopWatch watch(stats.storage_time);
  return Commit(*this, name, partition_key, writes).run();
}

}  // namespace rocktable
