#include "client/migration/migrator.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace rocktable::migration {
namespace {

std::string name_of(const Migration& migration) {
  return "migration " + std::to_string(migration.id) + " (" + migration.source + ")";
}

// The name of a step's temporary table, unique per migration and step.
std::string work_table(const Migration& migration, std::size_t step) {
  return "rocktableRekey" + std::to_string(migration.id) + "s" + std::to_string(step);
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
  }
  return {};
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
    out[id] = {id, MigrationState::Applied, row.version, row.description, "", row.ended, 0};
  for (const auto& migration : migrations) {
    MigrationStatus& status = out[migration.id];
    const std::string sum = checksum(migration);
    const auto done = applied.find(migration.id);
    const auto begun = running.find(migration.id);
    if (done != applied.end()) {
      if (!done->second.checksum.empty() && done->second.checksum != sum) status.state = MigrationState::Edited;
    } else if (begun != running.end()) {
      status.state = begun->second.checksum == sum ? MigrationState::Begun : MigrationState::Edited;
      status.step = begun->second.step;
    }
    status.id = migration.id;
    status.version = migration.version;
    status.description = migration.description;
    status.source = migration.source;
  }
  std::vector<MigrationStatus> list;
  list.reserve(out.size());
  for (auto& [id, status] : out) list.push_back(std::move(status));
  return list;
}

void Migrator::check_unedited(const std::vector<Migration>& migrations) {
  for (const auto& status : status(migrations)) {
    if (status.state != MigrationState::Edited) continue;
    throw std::runtime_error(
        "migration " + std::to_string(status.id) + " (" + status.source +
        ") was edited after it was applied or begun; restore its original content, and put changes "
        "into a new migration");
  }
}

bool Migrator::has_work(const std::vector<Migration>& migrations, std::optional<std::int64_t> to) {
  const auto applied = History(*client_).applied();
  return std::any_of(migrations.begin(), migrations.end(), [&](const Migration& migration) {
    return is_within(migration, to) && !applied.contains(migration.id);
  });
}

std::size_t Migrator::up(const std::vector<Migration>& migrations, std::optional<std::int64_t> to) {
  check_unedited(migrations);
  if (!has_work(migrations, to)) return 0;
  client_->create_table(kHistoryTable);
  const RunnerLock lock(*client_, connect(), options_.lock);
  check_unedited(migrations);  // another runner may have worked before this one got the lock
  History history(*client_);
  const auto applied = history.applied();
  std::vector<const Migration*> waiting;
  for (const auto& migration : migrations)
    if (is_within(migration, to) && !applied.contains(migration.id)) waiting.push_back(&migration);
  std::sort(waiting.begin(), waiting.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  for (const auto* migration : waiting) apply(*migration, history);
  return waiting.size();
}

void Migrator::apply(const Migration& migration, History& history) {
  const auto begun = history.running();
  const auto found = begun.find(migration.id);
  RunningMigration running{checksum(migration), now(), 0, 0};
  const bool is_retry = found != begun.end();
  if (is_retry) running = found->second;
  history.record_running(migration.id, running);
  const auto first = static_cast<std::size_t>(running.step);
  for (std::size_t i = first; i < migration.steps.size(); ++i) {
    const Step& step = migration.steps[i];
    if (options_.listener.on_step) options_.listener.on_step(migration, i);
    StepProgress progress;
    progress.work_table = work_table(migration, i);
    progress.phase = i == first ? running.phase : 0;
    progress.is_retry = is_retry && i == first;
    progress.on_phase = [&](int phase) {
      running.phase = phase;
      history.record_running(migration.id, running);
    };
    if (options_.listener.on_entities)
      progress.on_entities = [&](std::uint64_t entities) { options_.listener.on_entities(summary(step), entities); };
    try {
      run_step(*client_, step, progress);
    } catch (const std::exception& error) {
      throw std::runtime_error(name_of(migration) + ", step " + std::to_string(i + 1) + " of " +
                               std::to_string(migration.steps.size()) + " (" + summary(step) + "): " + error.what());
    }
    running.step = static_cast<int>(i) + 1;
    running.phase = 0;
    history.record_running(migration.id, running);
  }
  history.record_applied(migration, running.started);
  if (options_.listener.on_applied) options_.listener.on_applied(migration);
}

StepCost Migrator::cost(const Step& step) { return cost_of(*client_, step); }

}  // namespace rocktable::migration
