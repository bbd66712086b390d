#include "client/migration/migration_file.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "client/migration/migration_schema.h"
#include "client/migration/value_conversion.h"
#include "odata/files/json_reader.h"
#include "odata/filter_parser.h"
#include "odata/payload_reader.h"

namespace rocktable::migration {
namespace {

namespace fs = std::filesystem;

using Reader = JsonReader;

std::string table_of(const Reader& value) {
  std::string name = value.text();
  if (const auto ok = check_table_name(name); !ok)
    value.refuse("`" + name + "` is not a table name: " + ok.error().message);
  return name;
}

std::string property_name_of(const Reader& value) {
  std::string name = value.text();
  for (const char* key : {"PartitionKey", "RowKey", "Timestamp"})
    if (name == key) value.refuse(name + " cannot be changed as a property (use rekey to change keys)");
  if (!check_property_name(name)) value.refuse("`" + name + "` is not a property name");
  return name;
}

EdmType type_of(const Reader& value) {
  const auto type = parse_edm_type(value.text());
  if (!type)
    value.refuse("`" + value.text() +
                 "` is not a type; use Edm.String, Edm.Boolean, Edm.Int32, Edm.Int64, Edm.Double, "
                 "Edm.DateTime, Edm.Guid or Edm.Binary");
  return *type;
}

std::optional<std::string> partition_of(const Reader& step) {
  return step.has("partition") ? std::optional(step.member("partition").text()) : std::nullopt;
}

EntitySelection selection_of(const Reader& step) {
  EntitySelection out;
  out.partition_key = partition_of(step);
  if (step.has("row")) {
    out.row_key = step.member("row").text();
    if (!out.partition_key) step.member("row").refuse("row requires partition");
  }
  if (step.has("filter")) {
    const Reader filter = step.member("filter");
    const auto parsed = parse_filter(filter.text());
    if (!parsed) filter.refuse(parsed.error().message);
    out.filter = filter.text();
  }
  return out;
}

// The service's sentence for a body that it cannot read says nothing about the body.
std::string sentence_of(const Error& error, const char* unreadable) {
  return error == unreadable_body() ? unreadable : error.message;
}

Entity entity_of(const Reader& item) {
  item.must_be(JsonKind::Object);
  auto payload = read_entity(item.value());
  if (!payload)
    item.refuse(
        sentence_of(payload.error(), "a value of the entity is nested, or its type is unknown or cannot hold it"));
  if (payload->has_typed_key) item.refuse("PartitionKey and RowKey must be text");
  if (!payload->partition_key || !payload->row_key) item.refuse("an entity must have PartitionKey and RowKey");
  Entity out{{std::move(*payload->partition_key), std::move(*payload->row_key)}, {}, std::move(payload->properties)};
  if (const auto ok = check_entity(out.key, out.properties); !ok) item.refuse(ok.error().message);
  return out;
}

WriteEntities write_of(WriteMode mode, const Reader& step) {
  WriteEntities out;
  out.mode = mode;
  out.table = table_of(step.member("table"));
  for (const Reader& item : step.member("entities").items()) {
    out.entities.push_back(entity_of(item));
    const auto same = [&](const Entity& one) { return one.key == out.entities.back().key; };
    if (std::any_of(out.entities.begin(), out.entities.end() - 1, same))
      item.refuse("another entity of this step has the same PartitionKey and RowKey");
  }
  if (out.entities.empty()) step.member("entities").refuse("must contain at least one entity");
  out.create_table = step.flag("createTable");
  return out;
}

// The values of `defaults`, written as the properties of an entity. `check` refuses those that do not suit the
// step.
Properties defaults_of(const Reader& defaults, const std::function<void(Property&)>& check) {
  defaults.must_be(JsonKind::Object);
  auto payload = read_entity(defaults.value());
  if (!payload)
    defaults.refuse(sentence_of(payload.error(), "a value is nested, or its type is unknown or cannot hold it"));
  if (payload->partition_key || payload->row_key || payload->has_typed_key)
    defaults.refuse("PartitionKey and RowKey are never missing");
  if (payload->properties.empty()) defaults.refuse("must contain a value for at least one property");
  for (auto& property : payload->properties) defaults.member(property.name).with_place([&] { check(property); });
  std::sort(payload->properties.begin(), payload->properties.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return std::move(payload->properties);
}

MissingRule missing_rule_of(const Reader& step, OnMissing otherwise, const std::function<void(Property&)>& check) {
  MissingRule out{otherwise, {}};
  if (step.has("onMissing")) {
    const Reader action = step.member("onMissing");
    const std::string text = action.text();
    if (text != "fail" && text != "skip" && text != "default")
      action.refuse("`" + text + "` is unknown; use fail, skip or default");
    out.action = text == "fail" ? OnMissing::Fail : text == "skip" ? OnMissing::Skip : OnMissing::Default;
  }
  if (step.has("defaults")) {
    if (out.action != OnMissing::Default) step.member("defaults").refuse("requires \"onMissing\": \"default\"");
    out.defaults = defaults_of(step.member("defaults"), check);
  } else if (out.action == OnMissing::Default) {
    step.member("onMissing").refuse("requires defaults: a value for each property that may be missing");
  }
  return out;
}

// Requires a default value of the one property that the step needs.
void check_name(const Property& property, const std::string& name) {
  if (property.name != name) throw std::runtime_error("the step does not need this property, but " + name);
}

// Parses `value` as a property value of the given type.
Value value_of(const Reader& step) {
  const Reader value = step.member("value");
  std::string json = "{\"v\":" + std::string(value.value());
  if (step.has("type")) json += ",\"v@odata.type\":\"" + std::string(to_string(type_of(step.member("type")))) + "\"";
  auto payload = read_entity(json + "}");
  if (!payload) value.refuse(sentence_of(payload.error(), "the value is nested, or its type cannot hold it"));
  if (payload->properties.empty()) value.refuse("must not be null");
  return std::move(payload->properties.front().value);
}

ChangeProperty change_of(const Reader& step, PropertyChange change) {
  return {table_of(step.member("table")), partition_of(step), std::move(change)};
}

KeyTemplate template_of(const Reader& text) {
  return text.with_place([&] { return KeyTemplate::parse(text.text()); });
}

Rekey rekey_of(const Reader& step) {
  Rekey out;
  out.table = table_of(step.member("table"));
  out.which = selection_of(step);
  if (step.has("PartitionKey")) out.partition_key = template_of(step.member("PartitionKey"));
  if (step.has("RowKey")) out.row_key = template_of(step.member("RowKey"));
  out.keep_old = step.flag("keepOld");
  out.missing = missing_rule_of(step, OnMissing::Fail, [&](const Property& property) {
    bool is_used = false;
    for (const auto& key : {&out.partition_key, &out.row_key}) {
      if (!*key || !(*key)->uses(property.name)) continue;
      (*key)->check_default(property);
      is_used = true;
    }
    if (!is_used) throw std::runtime_error("no template uses this property");
  });
  if (!out.partition_key && !out.row_key) step.refuse("a template for PartitionKey, RowKey or both is required");
  return out;
}

std::pair<std::string, std::string> from_and_to(const Reader& step) {
  auto from = table_of(step.member("from")), to = table_of(step.member("to"));
  if (from == to) step.member("to").refuse("must be another table");
  return {std::move(from), std::move(to)};
}

struct StepKind {
  std::string_view name;
  std::function<Step(const Reader&)> read;
};

const std::vector<StepKind>& step_kinds() {
  static const std::vector<StepKind> kStepKinds = {
      {"createTable", [](const Reader& step) { return CreateTable{table_of(step)}; }},
      {"deleteTable", [](const Reader& step) { return DeleteTable{table_of(step)}; }},
      {"clearTable", [](const Reader& step) { return ClearTable{table_of(step)}; }},
      {"copyTable",
       [](const Reader& step) {
         step.allow_only({"from", "to"});
         auto [from, to] = from_and_to(step);
         return CopyTable{std::move(from), std::move(to)};
       }},
      {"renameTable",
       [](const Reader& step) {
         step.allow_only({"from", "to", "deleteOld"});
         auto [from, to] = from_and_to(step);
         return RenameTable{std::move(from), std::move(to), step.flag("deleteOld")};
       }},
      {"insert",
       [](const Reader& step) {
         step.allow_only({"table", "entities", "ifAbsent", "createTable"});
         WriteEntities out = write_of(WriteMode::Insert, step);
         out.if_absent = step.flag("ifAbsent");
         return out;
       }},
      {"upsert",
       [](const Reader& step) {
         step.allow_only({"table", "entities", "createTable"});
         return write_of(WriteMode::Replace, step);
       }},
      {"merge",
       [](const Reader& step) {
         step.allow_only({"table", "entities", "createTable"});
         return write_of(WriteMode::Merge, step);
       }},
      {"delete",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "row", "filter"});
         DeleteEntities out{table_of(step.member("table")), selection_of(step)};
         if (out.which.to_filter().empty())
           step.refuse("partition, row or filter is required (use clearTable to delete all entities)");
         return out;
       }},
      {"addProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "name", "value", "type"});
         return change_of(step, AddProperty{property_name_of(step.member("name")), value_of(step)});
       }},
      {"renameProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "from", "to", "onMissing", "defaults"});
         RenameProperty change{property_name_of(step.member("from")), property_name_of(step.member("to"))};
         if (change.from == change.to) step.member("to").refuse("must be another name");
         change.missing = missing_rule_of(step, OnMissing::Skip,
                                          [&](const Property& property) { check_name(property, change.from); });
         return change_of(step, std::move(change));
       }},
      {"removeProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "name"});
         return change_of(step, RemoveProperty{property_name_of(step.member("name"))});
       }},
      {"retypeProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "name", "type", "onMissing", "defaults"});
         RetypeProperty change{property_name_of(step.member("name")), type_of(step.member("type"))};
         change.missing = missing_rule_of(step, OnMissing::Skip, [&](Property& property) {
           check_name(property, change.name);
           auto value = convert(view_of(property.value), change.type);
           if (!value) throw std::runtime_error("cannot be converted to " + std::string(to_string(change.type)));
           property.value = std::move(*value);
         });
         return change_of(step, std::move(change));
       }},
      {"rekey",
       [](const Reader& step) {
         step.allow_only(
             {"table", "partition", "row", "filter", "PartitionKey", "RowKey", "keepOld", "onMissing", "defaults"});
         return rekey_of(step);
       }},
  };
  return kStepKinds;
}

Step step_of(const Reader& step) {
  step.must_be(JsonKind::Object);
  if (step.members().size() != 1) step.refuse("a step must have exactly one property: its kind");
  const auto& name = step.members().front().name;
  for (const auto& kind : step_kinds())
    if (kind.name == name) return kind.read(step.member(name));
  std::string known;
  for (const auto& kind : step_kinds()) known += (known.empty() ? "" : ", ") + std::string(kind.name);
  step.member(name).refuse("unknown step; allowed: " + known);
}

}  // namespace

Migration parse_migration(std::string_view text, const std::string& file) {
  const JsonDocument document(text, file);
  const Reader root = document.root();
  root.allow_only({"$schema", "id", "version", "description", "steps"});
  Migration out;
  out.source = file;
  out.id = root.member("id").integer(1, INT32_MAX);
  out.version = root.text_or("version", "");
  out.description = root.text_or("description", "");
  for (const Reader& step : root.member("steps").items()) out.steps.push_back(step_of(step));
  return out;
}

std::vector<Migration> read_migrations(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json" && entry->path().filename() != kSchemaFile) files.push_back(entry->path());
  if (error) throw std::runtime_error("cannot read the folder " + folder.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  std::vector<Migration> out;
  out.reserve(files.size());
  for (const auto& file : files) out.push_back(parse_migration(read_file(file.string()), file.string()));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < out.size(); ++i)
    if (out[i].id == out[i - 1].id)
      throw std::runtime_error("the id " + std::to_string(out[i].id) + " is used twice: in " + out[i - 1].source +
                               " and in " + out[i].source);
  return out;
}

fs::path write_new_migration(const fs::path& folder, const std::string& name) {
  if (name.empty() || name.find_first_of(std::string_view("/\\\0\n", 4)) != name.npos)
    throw std::runtime_error("`" + name + "` cannot be part of a file name");
  std::error_code error;
  fs::create_directories(folder, error);
  const auto known = read_migrations(folder);
  const std::int64_t id = known.empty() ? 1 : known.back().id + 1;
  std::string number = std::to_string(id);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
  std::string words = name;
  std::replace(words.begin(), words.end(), '_', ' ');
  const nlohmann::ordered_json document = {{"$schema", kSchemaFile},
                                           {"id", id},
                                           {"version", "1." + std::to_string(id)},
                                           {"description", words},
                                           {"steps", nlohmann::ordered_json::array({{{"createTable", "mytable"}}})}};
  const fs::path file = folder / (number + "_" + name + ".json");
  std::ofstream out(file, std::ios::binary);
  out << document.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  return file;
}

}  // namespace rocktable::migration
