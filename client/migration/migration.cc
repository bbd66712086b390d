#include "client/migration/migration.h"

#include <algorithm>

#include "base/text.h"
#include "client/sha256.h"

namespace rocktable::migration {
namespace {

// Returns a $filter string literal.
std::string literal_of(std::string_view text) { return to_string(ValueView(text)); }

std::string_view verb_of(WriteMode mode) {
  switch (mode) {
    case WriteMode::Insert:
      return "insert";
    case WriteMode::Replace:
      return "upsert";
    case WriteMode::Merge:
      return "merge";
    case WriteMode::Delete:
      return "delete";
  }
  return {};
}

std::string where(const EntitySelection& which) {
  const std::string filter = which.to_filter();
  return filter.empty() ? "" : " where " + filter;
}

struct Summary {
  std::string operator()(const CreateTable& step) const { return "create table " + step.table; }
  std::string operator()(const DeleteTable& step) const { return "delete table " + step.table; }
  std::string operator()(const ClearTable& step) const { return "clear table " + step.table; }
  std::string operator()(const CopyTable& step) const { return "copy table " + step.from + " to " + step.to; }
  std::string operator()(const RenameTable& step) const {
    return "rename table " + step.from + " to " + step.to + (step.delete_old ? "" : ", and keep the old one");
  }
  std::string operator()(const WriteEntities& step) const {
    return std::string(verb_of(step.mode)) + " " + counted(step.entities.size(), "entity", "entities") +
           (step.mode == WriteMode::Insert ? " into " : " in ") + step.table + (step.if_absent ? ", where absent" : "");
  }
  std::string operator()(const DeleteEntities& step) const { return "delete from " + step.table + where(step.which); }
  std::string operator()(const ChangeProperty& step) const {
    return to_string(step.change) + " in " + step.table + where({step.partition_key, {}, {}});
  }
  std::string operator()(const Rekey& step) const {
    std::string out = step.keep_old ? "add entities to " : "re-key ";
    out += step.table + where(step.which);
    if (step.partition_key) out += ", PartitionKey " + literal_of(step.partition_key->text());
    if (step.row_key) out += ", RowKey " + literal_of(step.row_key->text());
    if (step.missing.action != OnMissing::Fail) out += " (if missing: " + to_string(step.missing) + ")";
    return out;
  }
};

std::string to_string(const Entity& entity) {
  std::string out = "\n (" + literal_of(entity.key.partition_key) + "," + literal_of(entity.key.row_key) + ")";
  for (const auto& [name, value] : entity.properties)
    out += " " + name + " " + std::string(to_string(type_of(value))) + " " + to_string(view_of(value));
  return out;
}

}  // namespace

std::string EntitySelection::to_filter() const {
  if (!partition_key) return filter;
  std::string out = "PartitionKey eq " + literal_of(*partition_key);
  if (row_key) out += " and RowKey eq " + literal_of(*row_key);
  if (!filter.empty()) out += " and (" + filter + ")";
  return out;
}

std::string summary(const Step& step) { return std::visit(Summary(), step); }

std::string to_string(const Step& step) {
  std::string out = summary(step);
  if (const auto* write = std::get_if<WriteEntities>(&step)) {
    if (write->create_table) out += ", creates the table";
    for (const auto& entity : write->entities) out += to_string(entity);
  }
  return out;
}

StepDigest digest(const Step& step) {
  const Sha256 whole = sha256(to_string(step));
  StepDigest out{};
  std::copy_n(whole.begin(), out.size(), out.begin());
  return out;
}

std::optional<Step> with_missing_refused(const Step& step) {
  Step out = step;
  MissingRule* rule = nullptr;
  if (auto* rekey = std::get_if<Rekey>(&out)) rule = &rekey->missing;
  if (auto* change = std::get_if<ChangeProperty>(&out)) {
    if (auto* rename = std::get_if<RenameProperty>(&change->change)) rule = &rename->missing;
    if (auto* retype = std::get_if<RetypeProperty>(&change->change)) rule = &retype->missing;
  }
  if (rule == nullptr || rule->action == OnMissing::Fail) return std::nullopt;
  *rule = {};
  return out;
}

std::string checksum(const Migration& migration) {
  std::string text = std::to_string(migration.id) + "\n" + literal_of(migration.version) + "\n" +
                     literal_of(migration.description) + "\n";
  for (const auto& step : migration.steps) text += to_string(step) + "\n";
  return sha256_hex(text);
}

}  // namespace rocktable::migration
