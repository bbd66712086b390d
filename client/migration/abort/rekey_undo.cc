#include "client/migration/abort/rekey_undo.h"

#include <stdexcept>

#include "client/migration/missing_rule.h"
#include "client/migration/rekey.h"

namespace rocktable::migration {
namespace {

class RekeyUndo {
 public:
  RekeyUndo(UndoClient& client, const RekeyToUndo& rekey)
      : client_(client), rekey_(rekey), tables_(rekey_tables(rekey.work_table)) {}

  void run();

 private:
  void remove_new();
  void restore_all();
  void restore(const RekeyRecord& record, Entity moved);
  bool would_be_removed(const Entity& entity);

  UndoClient& client_;
  const RekeyToUndo& rekey_;
  const RekeyTables tables_;
  NamedEntities removed_, restored_, changed_, kept_new_, lost_;
};

void RekeyUndo::run() {
  if (rekey_.phase == 2) {
    remove_new();
    if (!client_.is_dry_run()) rekey_.on_restore();
  }
  if (!rekey_.keep_old) restore_all();
  const std::string of = " of the table " + rekey_.table;
  if (rekey_.keep_old) {
    if (removed_.count > 0) client_.report_undone("removed with their new keys" + of + ": " + removed_.text());
  } else if (restored_.count > 0) {
    client_.report_undone("given back their old keys" + of + ": " + restored_.text());
  }
  if (changed_.count > 0)
    client_.report_stays("changed since they got their new keys" + of + ", so they stay there: " + changed_.text());
  if (kept_new_.count > 0)
    client_.report_stays("another program has written their old keys" + of +
                         ", so they have the new ones: " + kept_new_.text());
  if (lost_.count > 0)
    throw std::runtime_error("another program has written the old and the new keys" + of + " of " + lost_.text() +
                             "; they are still in the table " + tables_.with_new_keys +
                             ": move or delete what has the old keys, and repeat rocktable migrate abort");
}

void RekeyUndo::remove_new() {
  client_.read().for_each(
      tables_.with_new_keys, "",
      [&](const Entity& moved) {
        const auto found = client_.read().get(rekey_.table, moved.key);
        if (!found) return;
        if (same_properties(*found, moved) && client_.remove(rekey_.table, *found)) {
          removed_.add(moved.key);
        } else {
          changed_.add(moved.key);
        }
      },
      true);
}

void RekeyUndo::restore_all() {
  client_.read().for_each(
      tables_.records, "",
      [&](const Entity& row) {
        const auto record = RekeyRecord::from(row);
        if (!record.new_key)
          throw std::runtime_error(
              "the step was begun by an earlier version of rocktable, which cannot be undone; complete "
              "the migration with rocktable migrate up");
        if (auto moved = client_.read().get(tables_.with_new_keys, *record.new_key)) restore(record, std::move(*moved));
      },
      true);
}

void RekeyUndo::restore(const RekeyRecord& record, Entity moved) {
  const EntityKey new_key = moved.key;
  moved.key = record.old_key;
  const auto found = client_.read().get(rekey_.table, record.old_key);
  if (!found || would_be_removed(*found)) {
    if (client_.insert(rekey_.table, moved)) restored_.add(record.old_key);
    return;
  }
  // In phase 1 no entity was written: this one was not deleted yet, or was changed since it was read.
  if (rekey_.phase == 1 || same_properties(*found, moved)) return;
  moved.key = new_key;
  const auto there = client_.read().get(rekey_.table, new_key);
  if (!there && client_.insert(rekey_.table, moved)) {
    kept_new_.add(record.old_key);
  } else if (!there || !same_properties(*there, moved)) {
    lost_.add(record.old_key);
  }
}

// Whether a dry run finds an entity that remove_new() would have removed.
bool RekeyUndo::would_be_removed(const Entity& entity) {
  if (!client_.is_dry_run() || rekey_.phase != 2) return false;
  const auto moved = client_.read().get(tables_.with_new_keys, entity.key);
  return moved && same_properties(entity, *moved);
}

}  // namespace

void undo_rekey(UndoClient& client, const RekeyToUndo& rekey) { RekeyUndo(client, rekey).run(); }

}  // namespace rocktable::migration
