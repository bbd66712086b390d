#include "client/migration/rekey.h"

#include <mutex>
#include <stdexcept>
#include <vector>

#include "odata/files/entity_fault.h"

namespace rocktable::migration {
namespace {

constexpr const char* kETagTicks = "Ticks";  // in NEWold: the timestamp that an entity had

std::string text_of(const EntityKey& key) {
  return "(" + shown(key.partition_key) + ", " + shown(key.row_key) + ")";
}

class RekeyWork {
 public:
  RekeyWork(MigrationClient& space, const Rekey& step, const StepProgress& progress)
      : space_(space), step_(step), progress_(progress), new_(progress.name), old_(progress.name + "old") {}

  void run();

 private:
  Entity rekeyed(const Entity& entity) const;
  void empty(const std::string& table);
  void prepare();
  void check_places();
  void delete_old();
  void catch_up(const EntityKey& key);
  void write_new();

  MigrationClient& space_;
  const Rekey& step_;
  const StepProgress& progress_;
  const std::string new_, old_;
};

void RekeyWork::run() {
  if (progress_.phase < 1) {
    prepare();
    check_places();
    progress_.reached(1);
  }
  if (progress_.phase < 2) {
    if (!step_.keep_old) delete_old();
    progress_.reached(2);
  }
  if (progress_.phase < 3) {
    write_new();
    progress_.reached(3);
  }
  space_.delete_table(new_);
  space_.delete_table(old_);
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

void RekeyWork::empty(const std::string& table) {
  if (space_.create_table(table)) return;
  const auto writer = space_.open_writer(
      table,
      {.mode = WriteMode::Delete, .forgive = [](const TableError&, const EntityKey&) { return true; }});
  space_.for_each(table, "", [&](const Entity& entity) { writer->add(entity); });
  writer->flush();
}

void RekeyWork::prepare() {
  empty(new_);
  empty(old_);
  const auto forgive = [this](const TableError& error, const EntityKey& key) {
    if (error.code == "EntityAlreadyExists")
      throw std::runtime_error("the table " + step_.table + ": two entities would have the keys " +
                               text_of(key) + "; nothing was changed");
    return false;
  };
  const auto writer = space_.open_writer(new_, {.mode = WriteMode::Insert, .forgive = forgive});
  const auto keys = space_.open_writer(old_, {.mode = WriteMode::Replace});
  std::uint64_t count = 0;
  space_.for_each(step_.table, step_.which.to_filter(), [&](const Entity& entity) {
    writer->add(rekeyed(entity));
    keys->add({entity.key, {}, {{kETagTicks, entity.timestamp.ticks}}});
    progress_.moved(++count);
  });
  writer->flush();
  keys->flush();
}

// A place is free where nobody is, or one who leaves.
void RekeyWork::check_places() {
  space_.for_each(new_, "", [&](const Entity& entity) {
    if (!space_.get(step_.table, entity.key)) return;
    if (!step_.keep_old && space_.get(old_, entity.key)) return;
    throw std::runtime_error("the table " + step_.table + ": there is an entity with the keys " +
                             text_of(entity.key) + " already, which is not re-keyed; nothing was changed");
  });
}

void RekeyWork::delete_old() {
  std::mutex mutex;
  std::vector<EntityKey> changed;
  const auto forgive = [&](const TableError& error, const EntityKey& key) {
    constexpr int kPreconditionFailed = 412, kNotFound = 404;
    if (error.status == kPreconditionFailed) {
      const std::lock_guard lock(mutex);
      changed.push_back(key);
    }
    return error.status == kPreconditionFailed || error.status == kNotFound;
  };
  {
    const auto writer = space_.open_writer(
        step_.table, {.mode = WriteMode::Delete, .if_unchanged = true, .forgive = forgive});
    space_.for_each(old_, "", [&](const Entity& key) {
      Entity entity{key.key, {}, {}};
      if (!key.properties.empty())
        if (const auto* ticks = std::get_if<std::int64_t>(&key.properties.front().value))
          entity.timestamp = {*ticks};
      writer->add(entity);
    });
    writer->flush();
  }
  for (const auto& key : changed) catch_up(key);
}

// Somebody has changed the entity since it was read: what it is now moves.
void RekeyWork::catch_up(const EntityKey& key) {
  for (;;) {
    const auto entity = space_.get(step_.table, key);
    if (!entity) return;
    space_.put(new_, rekeyed(*entity));
    if (space_.remove_if_unchanged(step_.table, *entity)) return;
  }
}

void RekeyWork::write_new() {
  const auto writer = space_.open_writer(step_.table, {.mode = WriteMode::Replace});
  std::uint64_t count = 0;
  space_.for_each(new_, "", [&](const Entity& entity) {
    writer->add(entity);
    progress_.moved(++count);
  });
  writer->flush();
}

}  // namespace

void run_rekey(MigrationClient& space, const Rekey& step, const StepProgress& progress) {
  RekeyWork(space, step, progress).run();
}

}  // namespace rocktable::migration
