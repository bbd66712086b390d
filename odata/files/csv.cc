// Joins lines to records by counting quotes, then splits records into fields with a small state machine.
#include "odata/files/csv.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "odata/files/entity_fault.h"
#include "odata/plain_text.h"

namespace rocktable {
namespace {

constexpr std::string_view kTypeColumnSuffix = "@type";
constexpr std::string_view kEndOfRecord = "\r\n";
constexpr std::string_view kFormulasColumn = "odata.formulas";
constexpr std::string_view kBeginsFormula = "=+-@\t\r\n'";  // and the ' that escapes the others
constexpr std::size_t kMaxColumns = 100'000;                // a header of commas must not take all memory

// --- Records -----------------------------------------------------------------------------------------------

struct RecordFault {
  std::size_t offset;
  std::string_view sentence;
};

// Splits a record into fields. Throws RecordFault.
class RecordSplitter {
 public:
  explicit RecordSplitter(std::string_view record) : record_(record) {}

  // Reads the next field into `field`, whose memory is reused. Returns false after the last field.
  bool next(CsvField& field) {
    if (finished_) return false;
    field.text.clear();
    field.offset = at_;
    at_ < record_.size() && record_[at_] == '"' ? read_quoted(field) : read_plain(field);
    finished_ = at_ == record_.size();
    ++at_;  // the comma
    return true;
  }

 private:
  void read_plain(CsvField& field) {
    const std::size_t end = std::min(record_.find_first_of(",\"\r\n", at_), record_.size());
    field.text = record_.substr(at_, end - at_);
    at_ = end;
    if (at_ == record_.size() || record_[at_] == ',') return;
    throw RecordFault{at_, record_[at_] == '"' ? "a quote in a field that does not begin with one"
                                               : "a carriage return in a field without quotes"};
  }

  void read_quoted(CsvField& field) {
    for (++at_;; ++at_) {
      const std::size_t quote = record_.find('"', at_);
      if (quote == record_.npos) throw RecordFault{field.offset, "this quoted field has no closing quote"};
      field.text += record_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (at_ == record_.size() || record_[at_] == ',') return;
      if (record_[at_] != '"') throw RecordFault{at_, "a comma must follow the quote that ends a field"};
      field.text += '"';
    }
  }

  std::string_view record_;
  std::size_t at_ = 0;
  bool finished_ = false;
};

bool has_odd_quotes(std::string_view line) { return std::count(line.begin(), line.end(), '"') % 2 != 0; }

// --- Values ------------------------------------------------------------------------------------------------

std::optional<EdmType> parse_type(std::string_view name) {
  if (auto type = parse_edm_type(name)) return type;
  return parse_edm_type("Edm." + std::string(name));
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const std::size_t quote = text.find('"');
    out += text.substr(0, quote);
    if (quote == text.npos) break;
    out += "\"\"";
    text.remove_prefix(quote + 1);
  }
  out += '"';
}

// Quotes also fields with blanks at their ends, because some programs trim unquoted fields.
void append_field(std::string& out, std::string_view text) {
  const bool blank_at_end = !text.empty() && (trim(text).size() != text.size());
  if (blank_at_end || text.find_first_of(",\"\r\n") != text.npos) {
    append_quoted(out, text);
  } else {
    out += text;
  }
}

bool begins_formula(std::string_view text) {
  return !text.empty() && kBeginsFormula.find(text.front()) != kBeginsFormula.npos;
}

bool is_key(std::string_view name) { return name == "PartitionKey" || name == "RowKey"; }

// Returns whether the column holds no property value.
bool is_ignored_column(std::string_view name) {
  return is_key(name) || name == "Timestamp" || name.starts_with("odata.") || name.ends_with(kTypeColumnSuffix);
}

}  // namespace

// --- Reading -----------------------------------------------------------------------------------------------

CsvReader::CsvReader(std::istream& in, std::string file) : lines_(in, std::move(file)) { read_header(); }

// Reads the next record that is not blank into fields_. Returns false at the end.
bool CsvReader::read_record() {
  std::optional<std::string_view> line;
  do {
    line = lines_.next();
    if (!line) return false;
  } while (line->empty() || *line == "\r");
  place_ = {lines_.line(), 1};
  record_ = *line;
  for (bool open = has_odd_quotes(record_); open; open ^= has_odd_quotes(*line)) {
    line = lines_.next();
    if (!line) break;
    if (record_.size() + line->size() > kMaxLineBytes)
      refuse(place_, "the record is longer than " + std::to_string(kMaxLineBytes) +
                         " bytes, which no entity needs; is a quote missing?");
    record_ += '\n';
    record_ += *line;
  }
  if (record_.ends_with('\r')) record_.pop_back();
  split_record();
  return true;
}

void CsvReader::split_record() {
  RecordSplitter splitter(record_);
  const std::size_t max_fields = column_count_ == 0 ? kMaxColumns : column_count_;
  try {
    for (field_count_ = 0;; ++field_count_) {
      if (field_count_ == fields_.size()) fields_.emplace_back();
      if (!splitter.next(fields_[field_count_])) return;
      const CsvField& field = fields_[field_count_];
      if (field_count_ == max_fields) throw RecordFault{field.offset, "there is no column for this field"};
      if (!is_utf8(field.text)) throw RecordFault{field.offset, "the field is not UTF-8"};
    }
  } catch (const RecordFault& fault) {
    refuse(place_at(fault.offset), fault.sentence);
  }
}

FilePlace CsvReader::place_at(std::size_t offset) const {
  const std::string_view before = std::string_view(record_).substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is no line feed
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  return place_in_line(place_.line + lines, before.substr(line_begin), offset - line_begin);
}

void CsvReader::read_header() {
  if (!read_record()) refuse({1, 1}, "the file is empty; it must begin with a header, the names of its columns");
  std::unordered_map<std::string, std::size_t> positions;
  column_count_ = field_count_;
  for (std::size_t i = 0; i < column_count_; ++i) {
    const CsvField& field = fields_[i];
    if (!positions.emplace(field.text, i).second)
      refuse(place_of(field), "the header has the column " + quoted_for_message(field.text) + " twice");
  }
  check_header(positions);
  formulas_are_escaped_ = positions.contains(std::string(kFormulasColumn));
  partition_key_ = positions.at("PartitionKey");
  row_key_ = positions.at("RowKey");
  for (std::size_t i = 0; i < column_count_; ++i) {
    const std::string& name = fields_[i].text;
    if (is_ignored_column(name)) continue;
    const auto type = positions.find(name + std::string(kTypeColumnSuffix));
    columns_.push_back({name, i, type == positions.end() ? std::nullopt : std::optional(type->second)});
  }
}

void CsvReader::check_header(const std::unordered_map<std::string, std::size_t>& positions) const {
  for (const char* key : {"PartitionKey", "RowKey"})
    if (!positions.contains(key))
      refuse(place_of(fields_[0]), "the header has no column " + std::string(key) +
                                       "; it is PartitionKey,RowKey,Timestamp,NAME,NAME@type,...");
  for (std::size_t i = 0; i < column_count_; ++i) {
    const std::string& name = fields_[i].text;
    if (name.starts_with("odata.")) continue;
    const bool is_type = name.ends_with(kTypeColumnSuffix);
    const std::string typed = is_type ? name.substr(0, name.size() - kTypeColumnSuffix.size()) : name;
    if (is_type && !positions.contains(typed))
      refuse(place_of(fields_[i]),
             "the header has the column " + quoted_for_message(name) + ", but no column " + quoted_for_message(typed));
    if (!check_property_name(typed)) refuse(place_of(fields_[i]), explain_name(typed));
  }
}

std::optional<Entity> CsvReader::next() {
  if (!read_record()) return std::nullopt;
  if (field_count_ != column_count_)
    refuse(place_, "the record has " + std::to_string(field_count_) + " fields, but the header has " +
                       std::to_string(column_count_));
  Entity entity{{text_in(fields_[partition_key_]), text_in(fields_[row_key_])}, {}, {}};
  for (const PropertyColumn& column : columns_)
    if (auto value = value_of(column)) entity.properties.push_back({column.name, std::move(*value)});
  if (!check_entity(entity.key, entity.properties)) refuse_entity(entity.key, entity.properties);
  return entity;
}

std::string CsvReader::text_in(const CsvField& field) const {
  const bool is_escaped =
      formulas_are_escaped_ && field.text.starts_with('\'') && begins_formula(std::string_view(field.text).substr(1));
  return field.text.substr(is_escaped ? 1 : 0);
}

std::optional<Value> CsvReader::value_of(const PropertyColumn& column) const {
  const CsvField& field = fields_[column.value];
  const std::string_view type_name = column.type ? std::string_view(fields_[*column.type].text) : "";
  if (type_name.empty() && field.text.empty()) return std::nullopt;
  const auto type = type_name.empty() ? EdmType::String : parse_type(type_name);
  if (!type)
    refuse(place_of(fields_[*column.type]),
           quoted_for_message(type_name) +
               " is not a type; the types are String, Boolean, Int32, Int64, Double, DateTime, Guid and "
               "Binary");
  const bool is_text = *type == EdmType::String || *type == EdmType::Binary;
  auto value = parse_plain_text(*type, is_text ? text_in(field) : field.text);
  if (!value) refuse(place_of(field), explain_value(column.name, *type));
  return value;
}

const CsvField* CsvReader::field_of(const std::string& member) const {
  if (is_key(member)) return &fields_[member == "RowKey" ? row_key_ : partition_key_];
  const auto column =
      std::find_if(columns_.begin(), columns_.end(), [&](const auto& each) { return each.name == member; });
  return column == columns_.end() ? nullptr : &fields_[column->value];
}

void CsvReader::refuse_entity(const EntityKey& key, const Properties& properties) const {
  const EntityFault fault = explain_entity(key, properties);
  const CsvField* const field = field_of(fault.member);
  refuse(field == nullptr ? place_ : place_of(*field), fault.sentence);
}

// --- Writing -----------------------------------------------------------------------------------------------

void PropertyNames::add(const EntityView& entity) {
  for (const PropertyView& property : entity.properties)
    if (known_.emplace(property.name).second) names_.emplace_back(property.name);
}

CsvWriter::CsvWriter(std::ostream& out, std::string file, EntityWriterOptions options)
    : lines_(out, std::move(file)), options_(std::move(options)), values_(options_.columns.size()) {
  for (std::size_t i = 0; i < options_.columns.size(); ++i) positions_.emplace(options_.columns[i], i);
  if (options_.header) write_header();
}

void CsvWriter::write_header() {
  std::string& text = lines_.text();
  text += "PartitionKey,RowKey";
  if (options_.timestamps) text += ",Timestamp";
  for (const std::string& name : options_.columns) {
    text += ',';
    append_field(text, name);
    text += ',';
    append_field(text, name + std::string(kTypeColumnSuffix));
  }
  if (options_.escape_formulas) text.append(",").append(kFormulasColumn);
  lines_.end_line(kEndOfRecord);
}

void CsvWriter::append_text(std::string_view text) {
  if (options_.escape_formulas && begins_formula(text)) {
    append_field(lines_.text(), "'" + std::string(text));
  } else {
    append_field(lines_.text(), text);
  }
}

void CsvWriter::append_value(const ValueView& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return append_text(*text);
  const auto* binary = std::get_if<BinaryView>(&value);
  if (binary == nullptr) return append_plain_text(lines_.text(), value);
  std::string base64;
  append_plain_text(base64, value);
  append_text(base64);
}

void CsvWriter::write(const EntityView& entity) {
  std::fill(values_.begin(), values_.end(), nullptr);
  for (const PropertyView& property : entity.properties) {
    const auto position = positions_.find(std::string(property.name));
    if (position == positions_.end())
      throw FileError(lines_.file(), {}, "there is no column for the property " + quoted_for_message(property.name));
    values_[position->second] = &property.value;
  }
  std::string& text = lines_.text();
  append_text(entity.partition_key);
  text += ',';
  append_text(entity.row_key);
  if (options_.timestamps) {
    text += ',';
    append_date_time(text, entity.timestamp);
  }
  for (const ValueView* value : values_) {
    text += ',';
    if (value != nullptr) append_value(*value);
    text += ',';
    if (value != nullptr) text += short_name(type_of(*value));
  }
  if (options_.escape_formulas) text += ',';
  lines_.end_line(kEndOfRecord);
}

}  // namespace rocktable
