#include "client/migration/migrator.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "client/migration/rekey.h"
#include "client/migration/resumption.h"

namespace rocktable::migration {
namespace {

std::string name_of(const Migration& migration) {
  return "migration " + std::to_string(migration.id) + " (" + migration.source + ")";
}

// What a failed attempt has done: `step 1 is done, and step 2 has changed nothing`.
std::string progress_of(const RunningMigration& running) {
  const std::string step = "step " + std::to_string(running.step + 1);
  std::string out;
  if (running.step == 1) out = "step 1 is done, and ";
  if (running.step > 1) out = "steps 1 to " + std::to_string(running.step) + " are done, and ";
  return out + step + (running.phase == 0 ? " has changed no entities" : " is done in part");
}

// The digests of the steps that are done, and of the one in progress.
std::vector<StepDigest> digests_of(const Migration& migration, int step) {
  std::vector<StepDigest> out;
  for (std::size_t i = 0; i < migration.steps.size() && i <= static_cast<std::size_t>(step); ++i)
    out.push_back(digest(migration.steps[i]));
  return out;
}

void note_rekey(RunningMigration& running, const Migration& migration) {
  running.rekeyed_table.clear();
  running.keep_old = false;
  const auto step = static_cast<std::size_t>(running.step);
  if (step >= migration.steps.size()) return;
  const auto* rekey = std::get_if<Rekey>(&migration.steps[step]);
  if (rekey == nullptr) return;
  running.rekeyed_table = rekey->table;
  running.keep_old = rekey->keep_old;
}

// The table that the step deletes, or nullptr.
const std::string* deleted_by(const Step& step) {
  if (const auto* deletion = std::get_if<DeleteTable>(&step)) return &deletion->table;
  const auto* rename = std::get_if<RenameTable>(&step);
  return rename != nullptr && rename->delete_old ? &rename->from : nullptr;
}

// The migration has reached a step.
void go_to(RunningMigration& running, const Migration& migration, int step) {
  running.step = step;
  running.phase = 0;
  running.skipped = {};
  running.digests = digests_of(migration, step);
  note_rekey(running, migration);
}

bool is_within(const Migration& migration, const std::optional<std::int64_t>& to) { return !to || migration.id <= *to; }

}  // namespace

std::string_view to_string(MigrationState state) {
  switch (state) {
    case MigrationState::Waiting:
      return "waiting";
    case MigrationState::Begun:
      return "begun";
    case MigrationState::Applied:
      return "applied";
    case MigrationState::Edited:
      return "edited";
    case MigrationState::Aborting:
      return "aborting";
  }
  return {};
}

std::string work_table_of(std::int64_t migration, std::size_t step) {
  return "rocktableRekey" + std::to_string(migration) + "s" + std::to_string(step);
}

Migrator::Migrator(TableEndpoint endpoint, MigratorOptions options)
    : endpoint_(std::move(endpoint)), options_(std::move(options)), client_(connect()) {}

std::unique_ptr<MigrationClient> Migrator::connect() const {
  return std::make_unique<MigrationClient>(endpoint_, options_.http, options_.listener.on_message);
}

std::vector<MigrationStatus> Migrator::status(const std::vector<Migration>& migrations) {
  const History history(*client_);
  const auto applied = history.applied();
  const auto running = history.running();
  std::map<std::int64_t, MigrationStatus> out;
  for (const auto& [id, row] : applied)
    out[id] = {.id = id,
               .state = MigrationState::Applied,
               .version = row.version,
               .description = row.description,
               .source = {},
               .ended = row.ended,
               .why = {}};
  for (const auto& migration : migrations) {
    MigrationStatus& status = out[migration.id];
    const std::string sum = checksum(migration);
    const auto done = applied.find(migration.id);
    const auto begun = running.find(migration.id);
    if (done != applied.end()) {
      if (!done->second.checksum.empty() && done->second.checksum != sum) {
        status.state = MigrationState::Edited;
        status.why = "it was applied with another content";
      }
    } else if (begun != running.end()) {
      const Resumption resumption = resumption_of(begun->second, migration);
      status.state = resumption.refusal.empty() ? MigrationState::Begun : MigrationState::Edited;
      if (begun->second.aborting) status.state = MigrationState::Aborting;
      status.is_edited = resumption.is_edited;
      status.why = resumption.refusal;
      status.step = begun->second.step;
      status.phase = resumption.restarts ? 0 : begun->second.phase;
    }
    status.id = migration.id;
    status.version = migration.version;
    status.description = migration.description;
    status.source = migration.source;
  }
  for (const auto& [id, row] : running) {
    if (out.contains(id)) continue;  // its file is missing
    out[id] = {.id = id,
               .state = row.aborting ? MigrationState::Aborting : MigrationState::Begun,
               .version = {},
               .description = {},
               .source = {},
               .ended = {},
               .step = row.step,
               .phase = row.phase,
               .why = {}};
  }
  std::vector<MigrationStatus> list;
  list.reserve(out.size());
  for (auto& [id, status] : out) list.push_back(std::move(status));
  return list;
}

void Migrator::check_startable(const std::vector<Migration>& migrations) {
  for (const auto& status : status(migrations)) {
    std::string name = "migration " + std::to_string(status.id);
    if (!status.source.empty()) name += " (" + status.source + ")";
    if (status.state == MigrationState::Aborting)
      throw std::runtime_error(name + " is being aborted; finish that by rocktable migrate abort");
    if (status.state != MigrationState::Edited) continue;
    throw std::runtime_error(name + " was edited after it was applied or begun: " + status.why +
                             "; restore its original content, and put changes into a new migration" +
                             (status.is_edited ? ", or undo what it did by rocktable migrate abort" : ""));
  }
}

bool Migrator::has_work(const std::vector<Migration>& migrations, std::optional<std::int64_t> to) {
  const auto applied = History(*client_).applied();
  return std::any_of(migrations.begin(), migrations.end(), [&](const Migration& migration) {
    return is_within(migration, to) && !applied.contains(migration.id);
  });
}

std::size_t Migrator::up(const std::vector<Migration>& migrations, std::optional<std::int64_t> to) {
  check_startable(migrations);
  if (!has_work(migrations, to)) return 0;
  client_->create_table(kHistoryTable);
  const RunnerLock lock(*client_, connect(), options_.lock);
  check_startable(migrations);  // another runner may have worked before this one got the lock
  History history(*client_);
  const auto applied = history.applied();
  std::vector<const Migration*> waiting;
  for (const auto& migration : migrations)
    if (is_within(migration, to) && !applied.contains(migration.id)) waiting.push_back(&migration);
  std::sort(waiting.begin(), waiting.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  for (const auto* migration : waiting) apply(*migration, history);
  return waiting.size();
}

// The record of a migration that begins or continues. `found` is that of an earlier attempt, or null.
RunningMigration Migrator::begin(const Migration& migration, const RunningMigration* found) {
  RunningMigration running;
  if (found == nullptr) {
    running.started = now();
    go_to(running, migration, 0);
  } else {
    running = *found;
    const Resumption resumption = resumption_of(running, migration);
    if (resumption.restarts) {
      const auto tables = rekey_tables(work_table_of(migration.id, static_cast<std::size_t>(running.step)));
      go_to(running, migration, running.step);
      if (running.rekeyed_table.empty()) {  // the step was a rekey perhaps, and is none now
        client_->delete_table(tables.with_new_keys);
        client_->delete_table(tables.records);
      }
    } else {
      if (resumption.is_edited) running.digests = digests_of(migration, running.step);
      note_rekey(running, migration);
    }
  }
  running.checksum = checksum(migration);
  return running;
}

void Migrator::apply(const Migration& migration, History& history) {
  const auto begun = history.running();
  const auto found = begun.find(migration.id);
  RunningMigration running = begin(migration, found == begun.end() ? nullptr : &found->second);
  history.record_running(migration.id, running);
  // An earlier version recorded no digests, and did not record that a step begins to change entities.
  const bool is_old = found != begun.end() && running.digests.empty();
  const auto first = static_cast<std::size_t>(running.step);
  for (std::size_t i = first; i < migration.steps.size(); ++i) {
    const Step& step = migration.steps[i];
    if (options_.listener.on_step) options_.listener.on_step(migration, i);
    StepProgress progress;
    progress.work_table = work_table_of(migration.id, i);
    progress.phase = running.phase;
    progress.is_retry = running.phase > 0 || (is_old && i == first);
    progress.on_phase = [&](int phase) {
      running.phase = phase;
      history.record_running(migration.id, running);
    };
    progress.on_created = [&](const std::string& table) {
      running.created.push_back(table);
      history.record_running(migration.id, running);
    };
    progress.on_skipped = [&](const MissingEntities& missing) { running.skipped = missing; };
    if (options_.listener.on_entities)
      progress.on_entities = [&](std::uint64_t entities) { options_.listener.on_entities(summary(step), entities); };
    try {
      run_step(*client_, step, progress);
    } catch (const std::exception& error) {
      throw std::runtime_error(name_of(migration) + ", step " + std::to_string(i + 1) + " of " +
                               std::to_string(migration.steps.size()) + " (" + summary(step) + "): " + error.what() +
                               "; " + progress_of(running));
    }
    if (!running.skipped.empty() && options_.listener.on_skipped)
      options_.listener.on_skipped(migration, i, running.skipped);
    if (const std::string* deleted = deleted_by(step)) std::erase(running.created, *deleted);
    go_to(running, migration, static_cast<int>(i) + 1);
    history.record_running(migration.id, running);
  }
  history.record_applied(migration, running.started);
  if (options_.listener.on_applied) options_.listener.on_applied(migration);
}

}  // namespace rocktable::migration
