#include "client/migration/rekey.h"

#include <mutex>
#include <stdexcept>
#include <vector>

#include "odata/files/entity_fault.h"

namespace rocktable::migration {
namespace {

constexpr const char* kETagTicks = "Ticks";  // in NEWold: the original timestamp of the entity

std::string text_of(const EntityKey& key) {
  return "(" + quoted_for_message(key.partition_key) + ", " + quoted_for_message(key.row_key) + ")";
}

class RekeyWork {
 public:
  RekeyWork(MigrationClient& client, const Rekey& step, const StepProgress& progress)
      : client_(client),
        step_(step),
        progress_(progress),
        new_(progress.work_table),
        old_(progress.work_table + "old") {}

  void run();

 private:
  Entity rekeyed(const Entity& entity) const;
  void create_empty(const std::string& table);
  void prepare();
  void check_new_keys();
  void delete_old();
  void move_changed(const EntityKey& key);
  void write_new();

  MigrationClient& client_;
  const Rekey& step_;
  const StepProgress& progress_;
  const std::string new_, old_;
};

void RekeyWork::run() {
  if (progress_.phase < 1) {
    prepare();
    check_new_keys();
    progress_.on_phase(1);
  }
  if (progress_.phase < 2) {
    if (!step_.keep_old) delete_old();
    progress_.on_phase(2);
  }
  if (progress_.phase < 3) {
    write_new();
    progress_.on_phase(3);
  }
  client_.delete_table(new_);
  client_.delete_table(old_);
}

Entity RekeyWork::rekeyed(const Entity& entity) const {
  try {
    Entity out = entity;
    if (step_.partition_key) out.key.partition_key = step_.partition_key->apply(entity);
    if (step_.row_key) out.key.row_key = step_.row_key->apply(entity);
    return out;
  } catch (const KeyTemplateError& error) {
    throw entity_error(step_.table, entity.key, error.what());
  }
}

void RekeyWork::create_empty(const std::string& table) {
  if (client_.create_table(table)) return;
  const auto writer = client_.open_writer(
      table, {.mode = WriteMode::Delete, .tolerate = [](const TableError&, const EntityKey&) { return true; }});
  client_.for_each(table, "", [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

void RekeyWork::prepare() {
  create_empty(new_);
  create_empty(old_);
  const auto tolerate = [this](const TableError& error, const EntityKey& key) {
    if (error.code == "EntityAlreadyExists")
      throw std::runtime_error("the table " + step_.table + ": two entities would get the key " + text_of(key) +
                               "; nothing was changed");
    return false;
  };
  const auto writer = client_.open_writer(new_, {.mode = WriteMode::Insert, .tolerate = tolerate});
  const auto keys = client_.open_writer(old_, {.mode = WriteMode::Replace});
  std::uint64_t count = 0;
  client_.for_each(step_.table, step_.which.to_filter(), [&](const Entity& entity) {
    writer->add(rekeyed(entity));
    keys->add({entity.key, {}, {{kETagTicks, entity.timestamp.ticks}}});
    progress_.on_entities(++count);
  });
  writer->flush();
  keys->flush();
}

// A new key is free if no entity has it, or if that entity is re-keyed itself.
void RekeyWork::check_new_keys() {
  client_.for_each(new_, "", [&](const Entity& entity) {
    if (!client_.get(step_.table, entity.key)) return;
    if (!step_.keep_old && client_.get(old_, entity.key)) return;
    throw std::runtime_error("the table " + step_.table + ": the new key " + text_of(entity.key) +
                             " belongs to an entity that is not re-keyed; nothing was changed");
  });
}

void RekeyWork::delete_old() {
  std::mutex mutex;
  std::vector<EntityKey> changed;
  const auto tolerate = [&](const TableError& error, const EntityKey& key) {
    if (error.status == kPreconditionFailed) {
      const std::lock_guard lock(mutex);
      changed.push_back(key);
    }
    return error.status == kPreconditionFailed || error.status == kNotFound;
  };
  {
    const auto writer =
        client_.open_writer(step_.table, {.mode = WriteMode::Delete, .if_unchanged = true, .tolerate = tolerate});
    client_.for_each(old_, "", [&](const Entity& key) {
      Entity entity{key.key, {}, {}};
      if (!key.properties.empty())
        if (const auto* ticks = std::get_if<std::int64_t>(&key.properties.front().value)) entity.timestamp = {*ticks};
      writer->add(entity);
    });
    writer->flush();
  }
  for (const auto& key : changed) move_changed(key);
}

// Another client has changed the entity since it was read: moves its current version.
void RekeyWork::move_changed(const EntityKey& key) {
  for (;;) {
    const auto entity = client_.get(step_.table, key);
    if (!entity) return;
    client_.put(new_, rekeyed(*entity));
    if (client_.remove_if_unchanged(step_.table, *entity)) return;
  }
}

void RekeyWork::write_new() {
  const auto writer = client_.open_writer(step_.table, {.mode = WriteMode::Replace});
  std::uint64_t count = 0;
  client_.for_each(new_, "", [&](const Entity& entity) {
    writer->add(entity);
    progress_.on_entities(++count);
  });
  writer->flush();
}

}  // namespace

void run_rekey(MigrationClient& client, const Rekey& step, const StepProgress& progress) {
  RekeyWork(client, step, progress).run();
}

}  // namespace rocktable::migration
