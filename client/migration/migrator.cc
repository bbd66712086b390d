#include "client/migration/migrator.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace rocktable::migration {
namespace {

std::string name_of(const Migration& migration) {
  return "migration " + std::to_string(migration.id) +
         (migration.source.empty() ? "" : " (" + migration.source + ")");
}

// The name of a step's temporary table, unique per migration and step.
std::string work_table(const Migration& migration, std::size_t step) {
  return "rocktableRekey" + std::to_string(migration.id) + "s" + std::to_string(step);
}

bool is_within(const Migration& migration, const std::optional<std::int64_t>& to) {
  return !to || migration.id <= *to;
}

}  // namespace

// --- Syntax ------------------------------------------------------------------------------------------------

MigratorSyntax& MigratorSyntax::add(Step step) {
  steps_.push_back(std::move(step));
  return *this;
}

MigratorSyntax& MigratorSyntax::write(WriteMode mode, std::string table, Entity entity, bool if_absent,
                                      bool create_table) {
  return add(WriteEntities{mode, std::move(table), {std::move(entity)}, if_absent, create_table});
}

MigratorSyntax& MigratorSyntax::create_table(std::string table) { return add(CreateTable{std::move(table)}); }
MigratorSyntax& MigratorSyntax::delete_table(std::string table) { return add(DeleteTable{std::move(table)}); }
MigratorSyntax& MigratorSyntax::clear(std::string table) { return add(ClearTable{std::move(table)}); }

MigratorSyntax& MigratorSyntax::copy_table(std::string from, std::string to) {
  return add(CopyTable{std::move(from), std::move(to)});
}

MigratorSyntax& MigratorSyntax::rename_table(std::string from, std::string to, bool delete_old) {
  return add(RenameTable{std::move(from), std::move(to), delete_old});
}

MigratorSyntax& MigratorSyntax::insert(std::string table, Entity entity, bool create_table) {
  return write(WriteMode::Insert, std::move(table), std::move(entity), false, create_table);
}

MigratorSyntax& MigratorSyntax::insert_if_absent(std::string table, Entity entity) {
  return write(WriteMode::Insert, std::move(table), std::move(entity), true, false);
}

MigratorSyntax& MigratorSyntax::upsert(std::string table, Entity entity) {
  return write(WriteMode::Replace, std::move(table), std::move(entity), false, false);
}

MigratorSyntax& MigratorSyntax::merge(std::string table, Entity entity) {
  return write(WriteMode::Merge, std::move(table), std::move(entity), false, false);
}

MigratorSyntax& MigratorSyntax::remove(std::string table, std::string partition_key) {
  return add(DeleteEntities{std::move(table), {std::move(partition_key), {}, {}}});
}

MigratorSyntax& MigratorSyntax::remove(std::string table, std::string partition_key, std::string row_key) {
  return add(DeleteEntities{std::move(table), {std::move(partition_key), std::move(row_key), {}}});
}

MigratorSyntax& MigratorSyntax::remove_where(std::string table, std::string filter) {
  return add(DeleteEntities{std::move(table), {{}, {}, std::move(filter)}});
}

MigratorSyntax& MigratorSyntax::change_property(std::string table, PropertyChange change,
                                                std::optional<std::string> partition_key) {
  return add(ChangeProperty{std::move(table), std::move(partition_key), std::move(change)});
}

MigratorSyntax& MigratorSyntax::rekey(std::string table, EntitySelection which,
                                      std::optional<std::string_view> partition_key,
                                      std::optional<std::string_view> row_key, bool keep_old) {
  Rekey step{std::move(table), std::move(which), {}, {}, keep_old};
  if (partition_key) step.partition_key = KeyTemplate::parse(*partition_key);
  if (row_key) step.row_key = KeyTemplate::parse(*row_key);
  return add(std::move(step));
}

// --- Migrator ----------------------------------------------------------------------------------------------

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

Migrator::Migrator(std::string_view connection_string, MigratorOptions options)
    : Migrator(parse_connection_string(connection_string), std::move(options)) {}

Migrator::Migrator(TableEndpoint endpoint, MigratorOptions options)
    : endpoint_(std::move(endpoint)), options_(std::move(options)), client_(connect()) {}

std::unique_ptr<MigrationClient> Migrator::connect() const {
  return std::make_unique<MigrationClient>(endpoint_, options_.http, options_.listener.on_message);
}

bool Migrator::create_migration(const std::function<void(MigratorSyntax&)>& syntax, std::int64_t id,
                                std::string version, std::string description) {
  MigratorSyntax collected;
  syntax(collected);
  return up({{id, std::move(version), std::move(description), collected.steps(), ""}}) > 0;
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
      if (!done->second.checksum.empty() && done->second.checksum != sum)
        status.state = MigrationState::Edited;
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
  for (auto& [id, status] : out) list.push_back(std::move(status));
  return list;
}

void Migrator::check_unedited(const std::vector<Migration>& migrations) {
  for (const auto& migration : migrations) {
    const auto same = std::count_if(migrations.begin(), migrations.end(),
                                    [&](const Migration& one) { return one.id == migration.id; });
    if (same > 1) throw std::runtime_error("the id " + std::to_string(migration.id) + " is used twice");
  }
  for (const auto& status : status(migrations)) {
    if (status.state != MigrationState::Edited) continue;
    throw std::runtime_error(
        "migration " + std::to_string(status.id) + (status.source.empty() ? "" : " (" + status.source + ")") +
        " was edited after it was applied or begun; restore its original content, and put changes "
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
      progress.on_entities = [&](std::uint64_t entities) {
        options_.listener.on_entities(summary(step), entities);
      };
    try {
      run_step(*client_, step, progress);
    } catch (const std::exception& error) {
      throw std::runtime_error(name_of(migration) + ", step " + std::to_string(i + 1) + " of " +
                               std::to_string(migration.steps.size()) + " (" + summary(step) +
                               "): " + error.what());
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
