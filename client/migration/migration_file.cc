#include "client/migration/migration_file.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

#include "client/migration/migration_schema.h"
#include "odata/files/entity_fault.h"
#include "odata/files/input_file.h"
#include "odata/files/line_stream.h"
#include "odata/files/located_json.h"
#include "odata/filter_parser.h"
#include "odata/payload_reader.h"

namespace rocktable::migration {
namespace {

namespace fs = std::filesystem;

struct Document {
  std::string_view text;
  const std::string& file;

  // `at` is a view of the text.
  [[noreturn]] void refuse(std::string_view at, const std::string& sentence) const {
    throw FileError(file, place_in_text(text, static_cast<std::size_t>(at.data() - text.data())), sentence);
  }
};

// A value of the document. Its functions check and convert it; errors contain its path, such as
// `steps[2].insert.table`.
class Reader {
 public:
  // Throws FileError if the value is an object in which a name occurs twice.
  Reader(std::string_view value, std::string path, const Document& document)
      : value_(value), members_(value), path_(std::move(path)), document_(document) {
    if (const JsonMember* second = members_.find_duplicate())
      refuse_at(second->name_token, quoted_for_message(second->name) + " is given twice");
  }

  [[noreturn]] void refuse(const std::string& sentence) const { refuse_at(value_, sentence); }

  void must_be(JsonKind kind) const {
    if (const JsonKind is = json_kind(value_); is != kind)
      refuse("must be " + std::string(to_string(kind)) + ", but is " + std::string(to_string(is)));
  }

  // Requires an object without other members.
  void allow_only(std::initializer_list<std::string_view> names) const {
    must_be(JsonKind::Object);
    for (const JsonMember& member : members_.list()) {
      if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
      std::string known;
      for (const auto& one : names) known += (known.empty() ? "" : ", ") + std::string(one);
      at(member).refuse("unknown property; allowed: " + known);
    }
  }

  bool has(std::string_view name) const { return members_.find(name) != nullptr; }

  Reader member(std::string_view name) const {
    const JsonMember* found = members_.find(name);
    if (found == nullptr) refuse("the property " + std::string(name) + " is missing");
    return at(*found);
  }

  std::vector<Reader> items() const {
    must_be(JsonKind::Array);
    std::vector<Reader> out;
    for (const std::string_view item : json_items(value_))
      out.emplace_back(item, path_ + "[" + std::to_string(out.size()) + "]", document_);
    return out;
  }

  std::string text() const {
    must_be(JsonKind::Text);
    return json_text(value_);
  }

  std::string text_or(std::string_view name, const std::string& otherwise) const {
    return has(name) ? member(name).text() : otherwise;
  }

  bool flag(std::string_view name) const {
    if (!has(name)) return false;
    const Reader flag = member(name);
    flag.must_be(JsonKind::Boolean);
    return flag.value_ == "true";
  }

  std::string table() const {
    std::string name = text();
    if (const auto ok = check_table_name(name); !ok)
      refuse("`" + name + "` is not a table name: " + ok.error().message);
    return name;
  }

  std::string property_name() const {
    std::string name = text();
    for (const char* key : {"PartitionKey", "RowKey", "Timestamp"})
      if (name == key) refuse(name + " cannot be changed as a property (use rekey to change keys)");
    if (!check_property_name(name)) refuse("`" + name + "` is not a property name");
    return name;
  }

  EdmType type() const {
    const auto type = parse_edm_type(text());
    if (!type)
      refuse("`" + text() +
             "` is not a type; use Edm.String, Edm.Boolean, Edm.Int32, Edm.Int64, Edm.Double, "
             "Edm.DateTime, Edm.Guid or Edm.Binary");
    return *type;
  }

  std::string_view value() const { return value_; }
  const std::vector<JsonMember>& members() const { return members_.list(); }

  // Calls `read`, and adds file and path to what it throws.
  template <class Read>
  auto with_place(const Read& read) const {
    try {
      return read();
    } catch (const FileError&) {
      throw;
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }

 private:
  [[noreturn]] void refuse_at(std::string_view at, const std::string& sentence) const {
    document_.refuse(at, (path_.empty() ? "" : path_ + ": ") + sentence);
  }

  Reader at(const JsonMember& member) const {
    return {member.value_token, path_.empty() ? member.name : path_ + "." + member.name, document_};
  }

  std::string_view value_;
  JsonMembers members_;
  std::string path_;
  const Document& document_;
};

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

Entity entity_of(const Reader& item) {
  item.must_be(JsonKind::Object);
  auto payload = read_entity(item.value());
  if (!payload) item.refuse(payload.error().message);
  if (!payload->partition_key || !payload->row_key)
    item.refuse("an entity must have PartitionKey and RowKey");
  Entity out{
      {std::move(*payload->partition_key), std::move(*payload->row_key)}, {}, std::move(payload->properties)};
  if (const auto ok = check_entity(out.key, out.properties); !ok) item.refuse(ok.error().message);
  return out;
}

WriteEntities write_of(WriteMode mode, const Reader& step) {
  WriteEntities out;
  out.mode = mode;
  out.table = step.member("table").table();
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

// Parses `value` as a property value of the given type.
Value value_of(const Reader& step) {
  const Reader value = step.member("value");
  std::string json = "{\"v\":" + std::string(value.value());
  if (step.has("type"))
    json += ",\"v@odata.type\":\"" + std::string(to_string(step.member("type").type())) + "\"";
  auto payload = read_entity(json + "}");
  if (!payload) value.refuse(payload.error().message);
  if (payload->properties.empty()) value.refuse("must not be null");
  return std::move(payload->properties.front().value);
}

ChangeProperty change_of(const Reader& step, PropertyChange change) {
  return {step.member("table").table(), partition_of(step), std::move(change)};
}

KeyTemplate template_of(const Reader& text) {
  return text.with_place([&] { return KeyTemplate::parse(text.text()); });
}

Rekey rekey_of(const Reader& step) {
  Rekey out;
  out.table = step.member("table").table();
  out.which = selection_of(step);
  if (step.has("PartitionKey")) out.partition_key = template_of(step.member("PartitionKey"));
  if (step.has("RowKey")) out.row_key = template_of(step.member("RowKey"));
  out.keep_old = step.flag("keepOld");
  if (!out.partition_key && !out.row_key)
    step.refuse("a template for PartitionKey, RowKey or both is required");
  return out;
}

std::pair<std::string, std::string> from_and_to(const Reader& step) {
  auto from = step.member("from").table(), to = step.member("to").table();
  if (from == to) step.member("to").refuse("must be another table");
  return {std::move(from), std::move(to)};
}

struct StepKind {
  std::string_view name;
  std::function<Step(const Reader&)> read;
};

const std::vector<StepKind>& step_kinds() {
  static const std::vector<StepKind> kStepKinds = {
      {"createTable", [](const Reader& step) { return CreateTable{step.table()}; }},
      {"deleteTable", [](const Reader& step) { return DeleteTable{step.table()}; }},
      {"clearTable", [](const Reader& step) { return ClearTable{step.table()}; }},
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
         DeleteEntities out{step.member("table").table(), selection_of(step)};
         if (out.which.to_filter().empty())
           step.refuse("partition, row or filter is required (use clearTable to delete all entities)");
         return out;
       }},
      {"addProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "name", "value", "type"});
         return change_of(step, AddProperty{step.member("name").property_name(), value_of(step)});
       }},
      {"renameProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "from", "to"});
         RenameProperty change{step.member("from").property_name(), step.member("to").property_name()};
         if (change.from == change.to) step.member("to").refuse("must be another name");
         return change_of(step, std::move(change));
       }},
      {"removeProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "name"});
         return change_of(step, RemoveProperty{step.member("name").property_name()});
       }},
      {"retypeProperty",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "name", "type"});
         return change_of(step,
                          RetypeProperty{step.member("name").property_name(), step.member("type").type()});
       }},
      {"rekey",
       [](const Reader& step) {
         step.allow_only({"table", "partition", "row", "filter", "PartitionKey", "RowKey", "keepOld"});
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

std::string contents_of(const fs::path& file) {
  InputFile in(file.string());
  std::string out((std::istreambuf_iterator<char>(in)), {});
  if (in.bad()) throw std::runtime_error("cannot read " + file.string());
  return out;
}

}  // namespace

Migration parse_migration(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Document document{text, file};
  if (const auto fault = find_json_fault(text)) document.refuse(text.substr(fault->offset), fault->sentence);
  const Reader root(text.substr(text.find_first_not_of(" \t\r\n")), "", document);
  root.allow_only({"$schema", "id", "version", "description", "steps"});
  Migration out;
  out.source = file;
  const Reader id = root.member("id");
  id.must_be(JsonKind::Integer);
  out.id = parse_int64(id.value()).value();
  if (out.id < 1 || out.id > INT32_MAX) id.refuse("must be from 1 to 2147483647");
  out.version = root.text_or("version", "");
  out.description = root.text_or("description", "");
  for (const Reader& step : root.member("steps").items()) out.steps.push_back(step_of(step));
  return out;
}

std::vector<Migration> read_migrations(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json" && entry->path().filename() != kSchemaFile)
      files.push_back(entry->path());
  if (error) throw std::runtime_error("cannot read the folder " + folder.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  std::vector<Migration> out;
  out.reserve(files.size());
  for (const auto& file : files) out.push_back(parse_migration(contents_of(file), file.string()));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < out.size(); ++i)
    if (out[i].id == out[i - 1].id)
      throw std::runtime_error("the id " + std::to_string(out[i].id) + " is used twice: in " +
                               out[i - 1].source + " and in " + out[i].source);
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
  const nlohmann::ordered_json document = {
      {"$schema", kSchemaFile},
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
