#include "client/migration/abort/abort.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "client/migration/abort/rekey_undo.h"
#include "client/migration/abort/step_undo.h"
#include "client/migration/history.h"
#include "client/migration/migrator.h"

namespace rocktable::migration {
namespace {

constexpr int kUndone = -1;  // the phase in the record of an aborting migration: its step was done

class Aborter {
 public:
  Aborter(MigrationClient& client, const AbortOptions& options, const std::vector<Migration>& migrations)
      : client_(client), options_(options), migrations_(migrations), history_(client) {}

  // The begun migrations, the last one first. One that is in both partitions of the history is applied.
  std::vector<std::pair<std::int64_t, RunningMigration>> begun() const;
  AbortedMigration abort(std::int64_t id, RunningMigration running);

 private:
  const Migration* find(std::int64_t id) const;
  const Step* step_of(const Migration* migration, const RunningMigration& running, std::size_t step) const;
  void record(std::int64_t id, const RunningMigration& running);
  void delete_created(UndoClient& undo, RunningMigration& running);

  MigrationClient& client_;
  const AbortOptions& options_;
  const std::vector<Migration>& migrations_;
  History history_;
};

std::vector<std::pair<std::int64_t, RunningMigration>> Aborter::begun() const {
  const auto applied = history_.applied();
  const auto running = history_.running();
  std::vector<std::pair<std::int64_t, RunningMigration>> out;
  for (auto one = running.rbegin(); one != running.rend(); ++one)
    if (!applied.contains(one->first)) out.emplace_back(*one);
  return out;
}

const Migration* Aborter::find(std::int64_t id) const {
  const auto found =
      std::find_if(migrations_.begin(), migrations_.end(), [&](const Migration& one) { return one.id == id; });
  return found == migrations_.end() ? nullptr : &*found;
}

// The step of the file, if it is that which the migration ran.
const Step* Aborter::step_of(const Migration* migration, const RunningMigration& running, std::size_t step) const {
  if (migration == nullptr || step >= migration->steps.size()) return nullptr;
  const bool is_same = step < running.digests.size() ? digest(migration->steps[step]) == running.digests[step]
                                                     : checksum(*migration) == running.checksum;
  return is_same ? &migration->steps[step] : nullptr;
}

void Aborter::record(std::int64_t id, const RunningMigration& running) {
  if (!options_.dry_run) history_.record_running(id, running);
}

AbortedMigration Aborter::abort(std::int64_t id, RunningMigration running) {
  const Migration* migration = find(id);
  UndoClient undo(client_, options_.dry_run);
  // An earlier version did not record that a step begins to change entities.
  const bool is_old = running.digests.empty() && migration != nullptr && !migration->steps.empty();
  const bool has_begun_all =
      !running.digests.empty() && static_cast<std::size_t>(running.step) == running.digests.size();
  if (!running.aborting && has_begun_all) {  // all steps are done, and it is not recorded as applied
    --running.step;
    running.phase = kUndone;
  }
  running.aborting = true;
  record(id, running);
  while (running.step >= 0) {
    const auto number = static_cast<std::size_t>(running.step);
    StepToUndo one;
    one.number = number;
    one.step = step_of(migration, running, number);
    one.work_table = work_table_of(id, number);
    one.running = running;
    one.is_in_progress = running.phase != kUndone;
    one.on_restore = [&] {
      running.phase = kRekeyRestoring;
      record(id, running);
    };
    const bool may_have_written = one.step != nullptr && !std::holds_alternative<Rekey>(*one.step);
    if (is_old && one.is_in_progress && running.phase == 0 && may_have_written) one.running.phase = 1;
    undo_step(undo, one);
    --running.step;
    running.phase = kUndone;
    record(id, running);
  }
  delete_created(undo, running);
  if (!options_.dry_run) history_.forget_running(id);
  return {id, migration ? migration->version : "", migration ? migration->description : "", undo.undone(),
          undo.stays()};
}

void Aborter::delete_created(UndoClient& undo, RunningMigration& running) {
  for (auto table = running.created.rbegin(); table != running.created.rend(); ++table) {
    if (!client_.has_table(*table)) continue;
    std::uint64_t entities = 0;
    if (options_.dry_run) {
      const std::uint64_t all = client_.for_each(*table, "", [](const Entity&) {});
      entities = all - std::min(all, undo.removed(*table));
    } else if (client_.has_entity(*table, "")) {
      entities = 1;
    }
    if (entities > 0) {
      undo.report_stays("the table " + *table + ", which the migration created, is not empty");
      continue;
    }
    undo.delete_table(*table);
    undo.report_undone("deleted the table " + *table + ", which the migration created");
  }
}

}  // namespace

std::vector<AbortedMigration> abort_migrations(const TableEndpoint& endpoint, const AbortOptions& options,
                                               const std::vector<Migration>& migrations) {
  const auto connect = [&] { return std::make_unique<MigrationClient>(endpoint, options.http, options.on_message); };
  const auto client = connect();
  Aborter aborter(*client, options, migrations);
  if (aborter.begun().empty()) return {};
  std::optional<RunnerLock> lock;
  if (!options.dry_run) lock.emplace(*client, connect(), options.lock);
  std::vector<AbortedMigration> out;
  for (auto& [id, running] : aborter.begun()) out.push_back(aborter.abort(id, std::move(running)));
  return out;
}

}  // namespace rocktable::migration
