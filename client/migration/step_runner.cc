#include "client/migration/step_runner.h"

#include <map>
#include <mutex>
#include <vector>

#include "client/migration/rekey.h"
#include "odata/files/entity_fault.h"

namespace rocktable::migration {
namespace {

constexpr int kNotFound = 404, kPreconditionFailed = 412;

bool always(const TableError&, const EntityKey&) { return true; }

// Reads what the filter finds, and gives it to `visit`; tells how many there were so far.
void visit_all(MigrationClient& space, const std::string& table, const std::string& filter,
               const StepProgress& progress, const std::function<void(Entity&)>& visit) {
  std::uint64_t count = 0;
  space.for_each(table, filter, [&](Entity& entity) {
    visit(entity);
    progress.moved(++count);
  });
}

void delete_entities(MigrationClient& space, const std::string& table, const std::string& filter,
                     const StepProgress& progress) {
  const auto writer = space.open_writer(table, {.mode = WriteMode::Delete, .forgive = always});
  visit_all(space, table, filter, progress, [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

void copy_entities(MigrationClient& space, const std::string& from, const std::string& to,
                   const StepProgress& progress) {
  space.create_table(to);
  const auto writer = space.open_writer(to, {.mode = WriteMode::Replace});
  visit_all(space, from, "", progress, [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

// Whether there was anything to change.
bool change_entity(const ChangeProperty& step, Entity& entity) {
  try {
    return apply(step.change, entity.properties);
  } catch (const PropertyChangeError& error) {
    throw entity_error(step.table, entity.key, error.what());
  }
}

class ChangeWork {
 public:
  ChangeWork(MigrationClient& space, const ChangeProperty& step, const StepProgress& progress)
      : space_(space),
        step_(step),
        progress_(progress),
        filter_(EntitySelection{step.partition_key, {}, {}}.to_filter()) {}

  void run() {
    if (progress_.phase < 1 && can_fail()) {
      space_.for_each(step_.table, filter_, [&](Entity& entity) { change_entity(step_, entity); });
      progress_.reached(1);
    }
    change_all();
    for (const auto& key : overtaken_) catch_up(key);
  }

 private:
  bool can_fail() const {
    return std::holds_alternative<RenameProperty>(step_.change) ||
           std::holds_alternative<RetypeProperty>(step_.change);
  }

  void change_all() {
    const auto forgive = [this](const TableError& error, const EntityKey& key) {
      const std::lock_guard lock(mutex_);
      overtaken_.push_back(key);
      return error.status == kPreconditionFailed || error.status == kNotFound;
    };
    const auto writer = space_.open_writer(
        step_.table, {.mode = WriteMode::Replace, .if_unchanged = true, .forgive = forgive});
    visit_all(space_, step_.table, filter_, progress_, [&](Entity& entity) {
      if (change_entity(step_, entity)) writer->add(entity);
    });
    writer->flush();
  }

  // Somebody has written to the entity since it was read.
  void catch_up(const EntityKey& key) {
    for (;;) {
      auto entity = space_.get(step_.table, key);
      if (!entity || !change_entity(step_, *entity) || space_.put_if_unchanged(step_.table, *entity)) return;
    }
  }

  MigrationClient& space_;
  const ChangeProperty& step_;
  const StepProgress& progress_;
  const std::string filter_;
  std::mutex mutex_;
  std::vector<EntityKey> overtaken_;
};

struct Run {
  MigrationClient& space;
  const StepProgress& progress;

  void operator()(const CreateTable& step) const { space.create_table(step.table); }
  void operator()(const DeleteTable& step) const { space.delete_table(step.table); }
  void operator()(const ClearTable& step) const { delete_entities(space, step.table, "", progress); }
  void operator()(const CopyTable& step) const { copy_entities(space, step.from, step.to, progress); }

  void operator()(const RenameTable& step) const {
    if (progress.phase < 1) {
      copy_entities(space, step.from, step.to, progress);
      progress.reached(1);
    }
    if (step.delete_old) space.delete_table(step.from);
  }

  void operator()(const WriteEntities& step) const {
    if (step.create_table) space.create_table(step.table);
    TableWriterOptions options{.mode = step.mode};
    if (progress.again) options.doubtful = step.entities.size();
    if (step.if_absent)
      options.forgive = [](const TableError& error, const EntityKey&) {
        return error.code == "EntityAlreadyExists";
      };
    const auto writer = space.open_writer(step.table, std::move(options));
    for (const auto& entity : step.entities) writer->add(entity);
    writer->flush();
  }

  void operator()(const DeleteEntities& step) const {
    delete_entities(space, step.table, step.which.to_filter(), progress);
  }
  void operator()(const ChangeProperty& step) const { ChangeWork(space, step, progress).run(); }
  void operator()(const Rekey& step) const { run_rekey(space, step, progress); }
};

struct Cost {
  MigrationClient& space;

  StepCost entities(
      const std::string& table, const std::string& filter,
      const std::function<bool(Entity&)>& counts = [](Entity&) { return true; }) const {
    TransactionCounter counter;
    const auto visit = [&](Entity& entity) {
      if (counts(entity)) counter.add(entity.key.partition_key);
    };
    space.for_each(table, filter, visit, true);
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

  StepCost operator()(const DeleteEntities& step) const {
    return entities(step.table, step.which.to_filter());
  }

  StepCost operator()(const ChangeProperty& step) const {
    return entities(step.table, EntitySelection{step.partition_key, {}, {}}.to_filter(),
                    [&](Entity& entity) { return change_entity(step, entity); });
  }

  // To the two tables of its own, to the table, and from it.
  StepCost operator()(const Rekey& step) const {
    StepCost out = entities(step.table, step.which.to_filter());
    out.transactions *= step.keep_old ? 3 : 4;
    return out;
  }
};

}  // namespace

void run_step(MigrationClient& space, const Step& step, const StepProgress& progress) {
  std::visit(Run{space, progress}, step);
}

StepCost cost_of(MigrationClient& space, const Step& step) { return std::visit(Cost{space}, step); }

}  // namespace rocktable::migration
