#include "client/migration/rekey.h"

#include <mutex>
#include <stdexcept>
#include <vector>

namespace rocktable::migration {
namespace {

constexpr const char* kETagTicks = "Ticks";
constexpr const char* kNewPartitionKey = "NewPartitionKey";
constexpr const char* kNewRowKey = "NewRowKey";

class RekeyWork {
 public:
  RekeyWork(MigrationClient& client, const Rekey& step, const StepProgress& progress)
      : client_(client),
        step_(step),
        progress_(progress),
        new_(rekey_tables(progress.work_table).with_new_keys),
        old_(rekey_tables(progress.work_table).records) {}

  void run();

 private:
  std::optional<Entity> rekeyed(const Entity& entity, MissingEntities& missing) const;
  bool skips() const { return step_.missing.action == OnMissing::Skip; }
  void create_empty(const std::string& table);
  void prepare();
  void check_new_keys();
  void delete_old();
  void move_changed(const EntityKey& key);
  void prepare_changed(const Entity& out, const EntityKey& old_key);
  void forget(const EntityKey& old_key);
  void check_free(const EntityKey& key);
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
  if (progress_.phase < kRekeyMoved) {
    write_new();
    progress_.on_phase(kRekeyMoved);
  }
  client_.delete_table(new_);
  client_.delete_table(old_);
}

// Returns nullopt, and adds the entity to `missing`, if it lacks a property.
std::optional<Entity> RekeyWork::rekeyed(const Entity& entity, MissingEntities& missing) const {
  try {
    Entity out = entity;
    out.key = new_key_of(step_, entity);
    return out;
  } catch (const MissingProperty& error) {
    missing.add(error.property(), entity.key);
    return std::nullopt;
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
      throw std::runtime_error("the table " + step_.table + ": two entities would get the key " + key_text(key));
    return false;
  };
  const auto writer = client_.open_writer(new_, {.mode = WriteMode::Insert, .tolerate = tolerate});
  const auto keys = client_.open_writer(old_, {.mode = WriteMode::Replace});
  std::uint64_t count = 0;
  MissingEntities missing;
  client_.for_each(step_.table, step_.which.to_filter(), [&](const Entity& entity) {
    progress_.on_entities(++count);
    const auto out = rekeyed(entity, missing);
    if (!out || (!missing.empty() && !skips())) return;  // a step that fails needs no tables
    writer->add(*out);
    keys->add(RekeyRecord{entity.key, entity.timestamp, out->key}.to_entity());
  });
  if (!missing.empty() && !skips()) throw missing_error(step_.table, missing);
  writer->flush();
  keys->flush();
  if (!missing.empty()) progress_.on_skipped(missing);
}

// A new key is free if no entity has it, or if that entity is re-keyed itself.
void RekeyWork::check_new_keys() {
  client_.for_each(new_, "", [&](const Entity& entity) { check_free(entity.key); });
}

void RekeyWork::check_free(const EntityKey& key) {
  if (!client_.get(step_.table, key)) return;
  if (!step_.keep_old && client_.get(old_, key)) return;
  throw std::runtime_error("the table " + step_.table + ": the new key " + key_text(key) +
                           " belongs to an entity that is not re-keyed");
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
    client_.for_each(old_, "", [&](const Entity& row) {
      const auto record = RekeyRecord::from(row);
      writer->add({record.old_key, record.timestamp, {}});
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
    MissingEntities missing;
    if (const auto out = rekeyed(*entity, missing)) {
      prepare_changed(*out, key);
      if (client_.remove_if_unchanged(step_.table, *entity)) return;
    } else if (skips()) {
      forget(key);
      return;
    } else {
      throw missing_error(step_.table, missing);
    }
  }
}

// Replaces what NEW has for the entity. Its key there is another one if the change concerns a property of the
// templates. The order makes it repeatable: only a key that the record has may be taken in NEW.
void RekeyWork::prepare_changed(const Entity& out, const EntityKey& old_key) {
  const auto row = client_.get(old_, old_key);
  if (!row) throw std::runtime_error("the table " + old_ + " was changed by another program");
  auto record = RekeyRecord::from(*row);
  if (record.new_key && *record.new_key != out.key) {
    if (client_.get(new_, out.key))
      throw std::runtime_error("the table " + step_.table + ": two entities would get the key " + key_text(out.key));
    check_free(out.key);
    client_.remove(new_, *record.new_key);
    record.new_key = out.key;
    client_.put(old_, record.to_entity());
  }
  client_.put(new_, out);
}

// The entity is skipped after all. Without a record it is one that is not re-keyed.
void RekeyWork::forget(const EntityKey& old_key) {
  const auto row = client_.get(old_, old_key);
  if (!row) return;
  if (const auto record = RekeyRecord::from(*row); record.new_key) client_.remove(new_, *record.new_key);
  client_.remove(old_, old_key);
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

EntityKey new_key_of(const Rekey& step, const Entity& entity) {
  EntityKey out = entity.key;
  if (step.partition_key) out.partition_key = step.partition_key->apply(entity, step.missing);
  if (step.row_key) out.row_key = step.row_key->apply(entity, step.missing);
  return out;
}

Entity RekeyRecord::to_entity() const {
  Entity row{old_key, {}, {{kETagTicks, timestamp.ticks}}};
  if (new_key) {
    row.properties.push_back({kNewPartitionKey, new_key->partition_key});
    row.properties.push_back({kNewRowKey, new_key->row_key});
  }
  return row;
}

RekeyRecord RekeyRecord::from(const Entity& row) {
  RekeyRecord out{row.key, {}, {}};
  if (const auto* ticks = find_property<std::int64_t>(row, kETagTicks)) out.timestamp = {*ticks};
  const auto* partition_key = find_property<std::string>(row, kNewPartitionKey);
  const auto* row_key = find_property<std::string>(row, kNewRowKey);
  if (partition_key != nullptr && row_key != nullptr) out.new_key = EntityKey{*partition_key, *row_key};
  return out;
}

RekeyTables rekey_tables(const std::string& work_table) { return {work_table, work_table + "old"}; }

void run_rekey(MigrationClient& client, const Rekey& step, const StepProgress& progress) {
  RekeyWork(client, step, progress).run();
}

}  // namespace rocktable::migration
