#include "client/migration/preview/step_preview.h"

#include <map>
#include <optional>
#include <utility>

#include "client/migration/rekey.h"
#include "client/migration/step_progress.h"
#include "client/migration/step_runner.h"
#include "odata/files/entity_fault.h"

namespace rocktable::migration {
namespace {

struct TablesOf {
  std::vector<std::string> operator()(const CopyTable& step) const { return {step.from, step.to}; }
  std::vector<std::string> operator()(const RenameTable& step) const { return {step.from, step.to}; }
  std::vector<std::string> operator()(const auto& step) const { return {step.table}; }
};

class StepSimulation {
 public:
  StepSimulation(SimulatedAccount& account, MigrationClient& client, const StepContext& context, StepPreview& out)
      : account_(account), client_(client), context_(context), out_(out) {}

  void operator()(const CreateTable& step) { account_.create(step.table); }
  void operator()(const DeleteTable& step) { account_.remove(step.table); }

  void operator()(const ClearTable& step) {
    require(step.table);
    if (is_known(step.table)) account_.for_each(step.table, {}, [&](Entity& entity) { count(entity); });
    account_.clear(step.table);
  }

  void operator()(const CopyTable& step) { copy(step.from, step.to); }

  void operator()(const RenameTable& step) {
    if (context_.phase != kRenameCopied) copy(step.from, step.to);
    if (step.delete_old) account_.remove(step.from);
  }

  void operator()(const WriteEntities& step);
  void operator()(const DeleteEntities& step);
  void operator()(const ChangeProperty& step);
  void operator()(const Rekey& step);

 private:
  using NewKeys = std::map<EntityKey, EntityKey, KeyLess>;  // new to old

  bool is_used_later(const std::string& table) const { return context_.used_later.contains(to_lower_ascii(table)); }

  void require(const std::string& table) {
    if (!account_.exists(table)) throw StepFailure("the table " + table + " does not exist");
  }

  // Adds what is not simulated if the table is not known.
  bool is_known(const std::string& table) {
    if (account_.is_unknown(table)) add_not_simulated("the content of the table " + table + " is not known");
    return !account_.is_unknown(table);
  }

  // Whether the change of a table shall be simulated. A table that does not fit is not known from here.
  bool hold(const std::string& table) {
    if (!is_used_later(table)) return false;
    if (account_.hold(table)) return true;
    too_large_.insert(table);
    return false;
  }

  void add_not_simulated(const std::string& sentence) {
    out_.not_simulated += (out_.not_simulated.empty() ? "" : "; ") + sentence;
  }

  // Call at the end of each step that changes the table.
  void finish(const std::string& table) {
    if (!is_used_later(table)) return;
    if (too_large_.contains(table)) account_.forget(table);
    if (account_.is_unknown(table))
      add_not_simulated("the table " + table + " is too large, so later steps do not know its content");
  }

  void count(const Entity& entity) {
    if (out_.entities == 0 || entity.key.partition_key != partition_ || open_ == kMaxTransactionWrites) {
      ++out_.transactions;
      open_ = 0;
      partition_ = entity.key.partition_key;
    }
    ++open_;
    ++out_.entities;
  }

  void check(const std::string& table, const Entity& entity) const {
    if (!check_entity(entity.key, entity.properties))
      throw StepFailure("the table " + table + ", entity " + key_text(entity.key) + ": " +
                        explain_entity(entity.key, entity.properties).sentence);
  }

  void copy(const std::string& from, const std::string& to);
  NewKeys new_keys(const Rekey& step);
  void check_new_keys(const Rekey& step, const NewKeys& keys);
  void move(const Rekey& step, const NewKeys& keys);
  void continue_rekey(const Rekey& step);

  SimulatedAccount& account_;
  MigrationClient& client_;
  const StepContext& context_;
  StepPreview& out_;
  std::set<std::string> too_large_;
  std::string partition_;
  std::size_t open_ = 0;
};

void StepSimulation::copy(const std::string& from, const std::string& to) {
  require(from);
  account_.create(to);
  const bool is_held = hold(to);
  if (!is_known(from)) {
    account_.forget(to);
    return;
  }
  account_.for_each(from, {}, [&](Entity& entity) {
    count(entity);
    if (is_held && account_.is_held(to)) account_.put(to, entity);
  });
  finish(to);
}

void StepSimulation::operator()(const WriteEntities& step) {
  if (step.create_table) {
    account_.create(step.table);
  } else {
    require(step.table);
  }
  std::map<std::string, std::vector<const Entity*>> partitions;
  for (const auto& entity : step.entities) partitions[entity.key.partition_key].push_back(&entity);
  for (const auto& [partition, entities] : partitions)
    for (const auto* entity : entities) count(*entity);
  const bool is_held = hold(step.table);
  if (!is_known(step.table)) return;
  for (const auto& entity : step.entities) {
    auto found = step.mode == WriteMode::Replace ? std::nullopt : account_.get(step.table, entity.key);
    const bool is_ours = context_.phase > 0;  // an earlier attempt may have written it
    if (found && step.mode == WriteMode::Insert && !step.if_absent && !is_ours)
      throw StepFailure("the table " + step.table + ", entity " + key_text(entity.key) + ": it exists already");
    if (found && step.mode == WriteMode::Insert) continue;
    Entity written = entity;
    if (found && step.mode == WriteMode::Merge) {
      for (const auto& [name, value] : entity.properties)
        std::erase_if(found->properties, [&, &own = name](const Property& one) { return one.name == own; });
      written.properties.insert(written.properties.end(), found->properties.begin(), found->properties.end());
    }
    check(step.table, written);
    if (is_held && account_.is_held(step.table)) account_.put(step.table, std::move(written));
  }
  finish(step.table);
}

void StepSimulation::operator()(const DeleteEntities& step) {
  require(step.table);
  const bool is_held = hold(step.table);
  if (!is_known(step.table)) return;
  std::vector<EntityKey> keys;
  account_.for_each(step.table, step.which, [&](Entity& entity) {
    count(entity);
    if (is_held) keys.push_back(entity.key);
  });
  for (const auto& key : keys) account_.erase(step.table, key);
  finish(step.table);
}

void StepSimulation::operator()(const ChangeProperty& step) {
  require(step.table);
  hold(step.table);
  if (!is_known(step.table)) return;
  const MissingRule* rule = missing_rule_of(step.change);
  MissingEntities missing;
  account_.for_each(step.table, {step.partition_key, {}, {}}, [&](Entity& entity) {
    if (const std::string* property = missing_in(step.change, entity.properties)) missing.add(*property, entity.key);
    try {
      if (!apply(step.change, entity.properties)) return;
    } catch (const PropertyChangeError& error) {
      throw entity_error(step.table, entity.key, error.what());
    }
    check(step.table, entity);
    count(entity);
  });
  if (!missing.empty() && rule->action != OnMissing::Skip) throw missing_error(step.table, missing);
  out_.skipped = missing;
  finish(step.table);
}

void StepSimulation::operator()(const Rekey& step) {
  require(step.table);
  if (context_.phase > 0) {
    continue_rekey(step);
    return;
  }
  if (account_.is_unknown(step.table)) {
    is_known(step.table);
    return;
  }
  if (!account_.hold(step.table)) too_large_.insert(step.table);  // the new keys are compared with all keys
  const NewKeys keys = new_keys(step);
  out_.transactions *= step.keep_old ? 3 : 4;  // to both temporary tables and the table, and from it
  if (too_large_.contains(step.table)) {
    add_not_simulated("the table " + step.table + " is too large to compare the new keys with each other and with " +
                      "those of other entities");
    finish(step.table);
    return;
  }
  check_new_keys(step, keys);
  if (is_used_later(step.table)) move(step, keys);
  finish(step.table);
}

// A new key may be the old one of another entity, so all are taken out before one is put back.
void StepSimulation::move(const Rekey& step, const NewKeys& keys) {
  std::vector<Entity> moved;
  for (const auto& [new_key, old_key] : keys) {
    if (!account_.is_held(step.table)) return;  // it does not fit any more
    auto entity = account_.get(step.table, old_key);
    entity->key = new_key;
    if (step.keep_old) {
      account_.put(step.table, std::move(*entity));
    } else {
      account_.erase(step.table, old_key);
      moved.push_back(std::move(*entity));
    }
  }
  for (auto& entity : moved)
    if (account_.is_held(step.table)) account_.put(step.table, std::move(entity));
}

// Empty if the table is too large.
StepSimulation::NewKeys StepSimulation::new_keys(const Rekey& step) {
  NewKeys out;
  MissingEntities missing;
  const bool is_held = account_.is_held(step.table);
  account_.for_each(step.table, step.which, [&](Entity& entity) {
    try {
      const EntityKey key = new_key_of(step, entity);
      count(entity);
      if (is_held && !out.emplace(key, entity.key).second)
        throw StepFailure("the table " + step.table + ": two entities would get the key " + key_text(key));
    } catch (const MissingProperty& error) {
      missing.add(error.property(), entity.key);
    } catch (const KeyTemplateError& error) {
      throw entity_error(step.table, entity.key, error.what());
    }
  });
  if (!missing.empty() && step.missing.action != OnMissing::Skip) throw missing_error(step.table, missing);
  out_.skipped = missing;
  return out;
}

void StepSimulation::check_new_keys(const Rekey& step, const NewKeys& keys) {
  std::set<EntityKey, KeyLess> old_keys;
  if (!step.keep_old)
    for (const auto& [new_key, old_key] : keys) old_keys.insert(old_key);
  for (const auto& [new_key, old_key] : keys)
    if (!old_keys.contains(new_key) && account_.get(step.table, new_key))
      throw StepFailure("the table " + step.table + ": the new key " + key_text(new_key) +
                        " belongs to an entity that is not re-keyed");
}

// The entities are in the temporary tables already.
void StepSimulation::continue_rekey(const Rekey& step) {
  const auto tables = rekey_tables(context_.work_table);
  const bool is_held = hold(step.table);
  if (is_held && !step.keep_old) {
    client_.for_each(
        tables.records, "",
        [&](const Entity& row) {
          const auto found = account_.get(step.table, row.key);
          if (found && !client_.get(tables.with_new_keys, row.key)) account_.erase(step.table, row.key);
        },
        true);
  }
  client_.for_each(
      tables.with_new_keys, "",
      [&](const Entity& entity) {
        count(entity);
        if (is_held && account_.is_held(step.table)) account_.put(step.table, entity);
      },
      true);
  finish(step.table);
}

}  // namespace

std::vector<std::string> tables_of(const Step& step) { return std::visit(TablesOf(), step); }

StepPreview preview_step(SimulatedAccount& account, MigrationClient& client, const Step& step,
                         const StepContext& context) {
  StepPreview out;
  out.summary = summary(step);
  try {
    std::visit(StepSimulation(account, client, context, out), step);
  } catch (const StepFailure& error) {
    out.failure = error.what();
    out.entities = out.transactions = 0;  // the step checks all before it writes
  }
  return out;
}

}  // namespace rocktable::migration
