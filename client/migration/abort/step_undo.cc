#include "client/migration/abort/step_undo.h"

#include <algorithm>
#include <stdexcept>

#include "client/migration/abort/rekey_undo.h"
#include "client/migration/missing_rule.h"
#include "client/migration/rekey.h"

namespace rocktable::migration {
namespace {

// Removes entities if they are as the migration wrote them, and reports both kinds.
class Removal {
 public:
  Removal(UndoClient& client, std::string table) : client_(client), table_(std::move(table)) {}

  void remove(const Entity& written) {
    const auto found = client_.read().get(table_, written.key);
    if (!found) return;
    (same_properties(*found, written) && client_.remove(table_, *found) ? removed_ : changed_).add(written.key);
  }

  void report(const std::string& step) {
    if (removed_.count > 0) client_.report_undone(step + ": removed from " + table_ + ": " + removed_.text());
    if (changed_.count > 0)
      client_.report_stays(step + ": they are not as the step wrote them in " + table_ + ": " + changed_.text());
  }

 private:
  UndoClient& client_;
  const std::string table_;
  NamedEntities removed_, changed_;
};

struct UndoStep {
  UndoClient& client;
  const StepToUndo& undo;
  const std::string name;

  void stays(const std::string& why) const { client.report_stays(name + ": " + why); }

  void operator()(const CreateTable&) const {}
  void operator()(const DeleteTable&) const { stays("what it deleted is lost"); }
  void operator()(const ClearTable&) const { stays("what it deleted is lost"); }
  void operator()(const DeleteEntities&) const { stays("what it deleted is lost"); }
  void operator()(const ChangeProperty&) const { stays("the changed properties stay"); }
  void operator()(const CopyTable& step) const { remove_copies(step.from, step.to); }
  void operator()(const RenameTable& step) const { remove_copies(step.from, step.to); }

  void operator()(const WriteEntities& step) const {
    if (step.mode != WriteMode::Insert || step.if_absent) {
      stays("what it wrote stays, because the table may have had these entities before");
      return;
    }
    Removal removal(client, step.table);
    for (const auto& entity : step.entities) removal.remove(entity);
    removal.report(name);
  }

  void operator()(const Rekey&) const { stays("the entities keep their new keys"); }

  void remove_copies(const std::string& from, const std::string& to) const {
    const auto& created = undo.running.created;
    if (std::find(created.begin(), created.end(), to) == created.end()) {
      stays("the copies stay, because the table " + to + " existed before");
      return;
    }
    if (!client.read().has_table(from)) {
      stays("the copies stay, because the table " + from + " is deleted");
      return;
    }
    Removal removal(client, to);
    client.read().for_each(to, "", [&](const Entity& copy) {
      const auto original = client.read().get(from, copy.key);
      removal.remove(original ? *original : Entity{copy.key, {}, {{std::string(), std::string()}}});
    });
    removal.report(name);
  }
};

// Deletes the temporary tables of the step, if they exist.
void delete_work_tables(UndoClient& client, const StepToUndo& undo, const std::string& name) {
  const auto tables = rekey_tables(undo.work_table);
  const std::string deleted = name + ": deleted the temporary table ";
  for (const auto& table : {tables.records, tables.with_new_keys}) {
    if (!client.read().has_table(table)) continue;
    client.delete_table(table);
    client.report_undone(deleted + table);
  }
}

}  // namespace

void undo_step(UndoClient& client, const StepToUndo& undo) {
  const RunningMigration& running = undo.running;
  const std::string name =
      "step " + std::to_string(undo.number + 1) + (undo.step ? " (" + summary(*undo.step) + ")" : "");
  const bool is_begun = !undo.is_in_progress || running.phase > 0;
  const bool is_rekey =
      undo.step == nullptr ? !running.rekeyed_table.empty() : std::holds_alternative<Rekey>(*undo.step);
  if (undo.is_in_progress && is_begun && is_rekey && running.phase != kRekeyMoved) {
    if (running.rekeyed_table.empty())
      throw std::runtime_error(name +
                               " was begun by an earlier version of rocktable, which cannot be undone; complete "
                               "the migration with rocktable migrate up");
    undo_rekey(client, {.table = running.rekeyed_table,
                        .work_table = undo.work_table,
                        .keep_old = running.keep_old,
                        .phase = running.phase,
                        .on_restore = undo.on_restore});
  } else if (is_begun && undo.step == nullptr) {
    client.report_stays(name + ": what it did stays, because the file no longer has this step as it was");
  } else if (is_begun) {
    std::visit(UndoStep{client, undo, name}, *undo.step);
  }
  if (undo.is_in_progress) delete_work_tables(client, undo, name);
}

}  // namespace rocktable::migration
