#include "client/migration/step_runner.h"

#include <map>
#include <mutex>
#include <vector>

#include "client/migration/rekey.h"
#include "odata/files/entity_fault.h"

namespace rocktable::migration {
namespace {

bool always(const TableError&, const EntityKey&) { return true; }

// Calls `visit` for each entity that matches the filter, and reports their number so far.
void visit_all(MigrationClient& client, const std::string& table, const std::string& filter,
               const StepProgress& progress, const std::function<void(Entity&)>& visit) {
  std::uint64_t count = 0;
  client.for_each(table, filter, [&](Entity& entity) {
    visit(entity);
    progress.on_entities(++count);
  });
}

void delete_entities(MigrationClient& client, const std::string& table, const std::string& filter,
                     const StepProgress& progress) {
  const auto writer = client.open_writer(table, {.mode = WriteMode::Delete, .tolerate = always});
  visit_all(client, table, filter, progress, [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

void copy_entities(MigrationClient& client, const std::string& from, const std::string& to,
                   const StepProgress& progress) {
  client.create_table(to);
  const auto writer = client.open_writer(to, {.mode = WriteMode::Replace});
  visit_all(client, from, "", progress, [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

// Returns whether the entity changed.
bool change_entity(const ChangeProperty& step, Entity& entity) {
  try {
    return apply(step.change, entity.properties);
  } catch (const PropertyChangeError& error) {
    throw entity_error(step.table, entity.key, error.what());
  }
}

class ChangeWork {
 public:
  ChangeWork(MigrationClient& client, const ChangeProperty& step, const StepProgress& progress)
      : client_(client),
        step_(step),
        progress_(progress),
        filter_(EntitySelection{step.partition_key, {}, {}}.to_filter()) {}

  void run() {
    if (progress_.phase < 1 && can_fail()) {
      client_.for_each(step_.table, filter_, [&](Entity& entity) { change_entity(step_, entity); });
      progress_.on_phase(1);
    }
    change_all();
    for (const auto& key : conflicts_) change_again(key);
  }

 private:
  bool can_fail() const {
    return std::holds_alternative<RenameProperty>(step_.change) || std::holds_alternative<RetypeProperty>(step_.change);
  }

  void change_all() {
    const auto tolerate = [this](const TableError& error, const EntityKey& key) {
      const std::lock_guard lock(mutex_);
      conflicts_.push_back(key);
      return error.status == kPreconditionFailed || error.status == kNotFound;
    };
    const auto writer =
        client_.open_writer(step_.table, {.mode = WriteMode::Replace, .if_unchanged = true, .tolerate = tolerate});
    visit_all(client_, step_.table, filter_, progress_, [&](Entity& entity) {
      if (change_entity(step_, entity)) writer->add(entity);
    });
    writer->flush();
  }

  // Another client has written the entity since it was read: changes its current version.
  void change_again(const EntityKey& key) {
    for (;;) {
      auto entity = client_.get(step_.table, key);
      if (!entity || !change_entity(step_, *entity) || client_.put_if_unchanged(step_.table, *entity)) return;
    }
  }

  MigrationClient& client_;
  const ChangeProperty& step_;
  const StepProgress& progress_;
  const std::string filter_;
  std::mutex mutex_;
  std::vector<EntityKey> conflicts_;
};

struct Run {
  MigrationClient& client;
  const StepProgress& progress;

  void operator()(const CreateTable& step) const { client.create_table(step.table); }
  void operator()(const DeleteTable& step) const { client.delete_table(step.table); }
  void operator()(const ClearTable& step) const { delete_entities(client, step.table, "", progress); }
  void operator()(const CopyTable& step) const { copy_entities(client, step.from, step.to, progress); }

  void operator()(const RenameTable& step) const {
    if (progress.phase < 1) {
      copy_entities(client, step.from, step.to, progress);
      progress.on_phase(1);
    }
    if (step.delete_old) client.delete_table(step.from);
  }

  void operator()(const WriteEntities& step) const {
    if (step.create_table) client.create_table(step.table);
    TableWriterOptions options{.mode = step.mode};
    if (progress.is_retry) options.maybe_written = step.entities.size();
    if (step.if_absent)
      options.tolerate = [](const TableError& error, const EntityKey&) { return error.code == "EntityAlreadyExists"; };
    const auto writer = client.open_writer(step.table, std::move(options));
    for (const auto& entity : step.entities) writer->add(entity);
    writer->flush();
  }

  void operator()(const DeleteEntities& step) const {
    delete_entities(client, step.table, step.which.to_filter(), progress);
  }
  void operator()(const ChangeProperty& step) const { ChangeWork(client, step, progress).run(); }
  void operator()(const Rekey& step) const { run_rekey(client, step, progress); }
};

struct Cost {
  MigrationClient& client;

  StepCost entities(
      const std::string& table, const std::string& filter,
      const std::function<bool(Entity&)>& counts = [](Entity&) { return true; }) const {
    TransactionCounter counter;
    const auto visit = [&](Entity& entity) {
      if (counts(entity)) counter.add(entity.key.partition_key);
    };
    client.for_each(table, filter, visit, true);
    return counter.cost();
  }

  StepCost operator()(const CreateTable&) const { return {}; }
  StepCost operator()(const DeleteTable&) const { return {}; }
  StepCost operator()(const ClearTable& step) const { return entities(step.table, ""); }
  StepCost operator()(const CopyTable& step) const { return entities(step.from, ""); }
  StepCost operator()(const RenameTable& step) const { return entities(step.from, ""); }

  StepCost operator()(const WriteEntities& step) const {
    std::map<std::string, std::size_t> partitions;
    for (const auto& entity : step.entities) ++partitions[entity.key.partition_key];
    TransactionCounter counter;
    for (const auto& [partition, count] : partitions)
      for (std::size_t i = 0; i < count; ++i) counter.add(partition);
    return counter.cost();
  }

  StepCost operator()(const DeleteEntities& step) const { return entities(step.table, step.which.to_filter()); }

  StepCost operator()(const ChangeProperty& step) const {
    return entities(step.table, EntitySelection{step.partition_key, {}, {}}.to_filter(),
                    [&](Entity& entity) { return change_entity(step, entity); });
  }

  // The writes to both temporary tables, to the table, and the deletions from it.
  StepCost operator()(const Rekey& step) const {
    StepCost out = entities(step.table, step.which.to_filter());
    out.transactions *= step.keep_old ? 3 : 4;
    return out;
  }
};

}  // namespace

void run_step(MigrationClient& client, const Step& step, const StepProgress& progress) {
  std::visit(Run{client, progress}, step);
}

StepCost cost_of(MigrationClient& client, const Step& step) { return std::visit(Cost{client}, step); }

}  // namespace rocktable::migration
