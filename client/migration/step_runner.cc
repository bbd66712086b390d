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

// Records that the step changes tables from here.
void begin_changes(const StepProgress& progress) {
  if (progress.phase < 1) progress.on_phase(1);
}

void create_table(MigrationClient& client, const std::string& table, const StepProgress& progress) {
  if (client.create_table(table)) progress.on_created(table);
}

void delete_table(MigrationClient& client, const std::string& table, const StepProgress& progress) {
  begin_changes(progress);
  client.delete_table(table);
}

void delete_entities(MigrationClient& client, const std::string& table, const std::string& filter,
                     const StepProgress& progress) {
  client.require_table(table);
  begin_changes(progress);
  const auto writer = client.open_writer(table, {.mode = WriteMode::Delete, .tolerate = always});
  visit_all(client, table, filter, progress, [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

// `copying` is the phase that is recorded before the first write.
void copy_entities(MigrationClient& client, const std::string& from, const std::string& to, int copying,
                   const StepProgress& progress) {
  client.require_table(from);
  create_table(client, to, progress);
  if (progress.phase == 0) progress.on_phase(copying);
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

// Fails if the table is missing, or if an entity that the step inserts exists. A table or a partition without
// entities needs one request.
void check_insert(MigrationClient& client, const WriteEntities& step) {
  if (!client.has_entity(step.table, "")) return;
  std::map<std::string, bool> is_used;
  for (const auto& entity : step.entities) {
    const auto& partition = entity.key.partition_key;
    if (!is_used.contains(partition))
      is_used[partition] = client.has_entity(step.table, EntitySelection{partition, {}, {}}.to_filter());
    if (is_used[partition] && client.get(step.table, entity.key))
      throw entity_error(step.table, entity.key, "it exists already (EntityAlreadyExists)");
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
    if (progress_.phase < 1) {
      if (const MissingRule* rule = missing_rule_of(step_.change)) {
        check_all(*rule);
      } else {
        client_.require_table(step_.table);
      }
      progress_.on_phase(1);
    }
    change_all();
    for (const auto& key : conflicts_) change_again(key);
  }

 private:
  void check_all(const MissingRule& rule) {
    MissingEntities missing;
    client_.for_each(step_.table, filter_, [&](Entity& entity) {
      if (const std::string* property = missing_in(step_.change, entity.properties)) missing.add(*property, entity.key);
      change_entity(step_, entity);
    });
    if (missing.empty()) return;
    if (rule.action != OnMissing::Skip) throw missing_error(step_.table, missing);
    progress_.on_skipped(missing);
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

  void operator()(const CreateTable& step) const { create_table(client, step.table, progress); }
  void operator()(const DeleteTable& step) const { delete_table(client, step.table, progress); }
  void operator()(const ClearTable& step) const { delete_entities(client, step.table, "", progress); }
  void operator()(const CopyTable& step) const { copy_entities(client, step.from, step.to, 1, progress); }

  // Earlier versions recorded phase 1 when all was copied, so a copy in progress has the number 2.
  void operator()(const RenameTable& step) const {
    constexpr int kCopying = 2;
    if (progress.phase != kRenameCopied) {
      copy_entities(client, step.from, step.to, kCopying, progress);
      progress.on_phase(kRenameCopied);
    }
    if (step.delete_old) client.delete_table(step.from);
  }

  void operator()(const WriteEntities& step) const {
    if (step.create_table) {
      create_table(client, step.table, progress);
    } else {
      client.require_table(step.table);
    }
    if (!progress.is_retry && step.mode == WriteMode::Insert && !step.if_absent) check_insert(client, step);
    begin_changes(progress);
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

}  // namespace

void run_step(MigrationClient& client, const Step& step, const StepProgress& progress) {
  std::visit(Run{client, progress}, step);
}

}  // namespace rocktable::migration
