// Answers as JSON text. Every text passes through append_escaped, links and contexts too: they hold what
// clients sent.
#include "odata/payload_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "odata/base64.h"
#include "odata/text.h"
#include "odata/uri.h"

namespace rocktable {
namespace {

// --- Text --------------------------------------------------------------------------------------------------

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Whether any of eight bytes needs an escape. Exact as a whole, which is all we ask: a borrow can only blame
// a byte that follows one that needs it.
bool any_needs_escape(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t below_space = (word - kOnes * 0x20u) & ~word;
  return (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) | below_space) & kHighBits;
}

std::size_t clean_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i + sizeof(std::uint64_t) <= text.size() && !any_needs_escape(text.data() + i))
    i += sizeof(std::uint64_t);
  while (i < text.size() && !needs_escape(text[i])) ++i;
  return i;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kShortLetters = "\"\\bfnrt";
  out += '\\';
  if (const std::size_t found = kShort.find(c); found != std::string_view::npos) {
    out += kShortLetters[found];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "u00";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0x0Fu];
}

void append_escaped(std::string& out, std::string_view text) {
  for (;;) {
    const std::size_t clean = clean_prefix(text);
    out += text.substr(0, clean);
    if (clean == text.size()) return;
    append_escape(out, text[clean]);
    text.remove_prefix(clean + 1);
  }
}

// --- Members -----------------------------------------------------------------------------------------------

// Opens with `{` or a comma: the members of one object, in order.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) {}

  // The name of a member with its colon; the value is the caller's to append.
  void name(std::string_view name, std::string_view suffix = {}) {
    out_ += first_ ? "{\"" : ",\"";
    first_ = false;
    append_escaped(out_, name);
    out_ += suffix;
    out_ += "\":";
  }

  void text(std::string_view name_of_member, std::string_view value) {
    name(name_of_member);
    append_json_string(out_, value);
  }

  void finish() { out_ += first_ ? "{}" : "}"; }

 private:
  std::string& out_;
  bool first_ = true;
};

struct Annotations {
  bool some;  // minimal and full
  bool all;   // full
};

Annotations annotations(const PayloadFormat& format) {
  return {.some = format.level != MetadataLevel::None, .all = format.level == MetadataLevel::Full};
}

// `<base>/$metadata#mytable/@Element&$select=age,sex`
void append_context(std::string& out, const PayloadFormat& format, std::string_view set,
                    std::string_view element, const std::optional<Selection>& select) {
  out += '"';
  append_escaped(out, format.base_url);
  out += "/$metadata#";
  append_escaped(out, set);
  out += element;
  if (select) {
    out += "&$select=";
    append_escaped(out, select->context);
  }
  out += '"';
}

// The one member of a document of one element that its siblings in a set lack.
void write_context_of_element(std::string& out, ObjectWriter& object, const PayloadFormat& format,
                              std::string_view set, const std::optional<Selection>& select) {
  if (!annotations(format).some) return;
  object.name("odata.metadata");
  append_context(out, format, set, "/@Element", select);
}

void begin_set(std::string& out, const PayloadFormat& format, std::string_view set,
               const std::optional<Selection>& select) {
  ObjectWriter object(out);
  if (annotations(format).some) {
    object.name("odata.metadata");
    append_context(out, format, set, {}, select);
  }
  object.name("value");
  out += '[';
}

void write_type(std::string& out, ObjectWriter& object, const PayloadFormat& format, std::string_view set) {
  object.name("odata.type");
  out += '"';
  append_escaped(out, format.account);
  out += '.';
  append_escaped(out, set);
  out += '"';
}

// `link` is what follows the base: percent-encoded, so without anything to escape.
void write_id(std::string& out, ObjectWriter& object, const PayloadFormat& format, std::string_view link) {
  object.name("odata.id");
  out += '"';
  append_escaped(out, format.base_url);
  out += '/';
  append_escaped(out, link);
  out += '"';
}

// --- Values ------------------------------------------------------------------------------------------------

template <class Integer>
void append_integer(std::string& out, Integer value) {
  std::array<char, std::numeric_limits<Integer>::digits10 + 3> buffer;
  const auto [end, error] = std::to_chars(buffer.begin(), buffer.end(), value);
  out.append(buffer.begin(), end);
}

// JSON shows these types by itself; NaN and the infinities it can only show as text.
bool needs_annotation(const ValueView& value) {
  switch (type_of(value)) {
    case EdmType::String:
    case EdmType::Boolean:
    case EdmType::Int32:
      return false;
    case EdmType::Double:
      return !std::isfinite(std::get<double>(value));
    case EdmType::Int64:
    case EdmType::DateTime:
    case EdmType::Guid:
    case EdmType::Binary:
      return true;
  }
  return true;
}

// Text in quotes that holds nothing to escape.
template <class Append>
void append_quoted(std::string& out, Append append) {
  out += '"';
  append(out);
  out += '"';
}

struct ValueWriter {
  std::string& out;

  void operator()(std::string_view text) const { append_json_string(out, text); }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
  void operator()(std::int32_t number) const { append_integer(out, number); }
  void operator()(std::int64_t number) const {
    append_quoted(out, [number](std::string& text) { append_integer(text, number); });
  }
  void operator()(double number) const {
    if (std::isfinite(number)) return append_double(out, number);
    append_quoted(out, [number](std::string& text) { append_double(text, number); });
  }
  void operator()(DateTime time) const {
    append_quoted(out, [time](std::string& text) { append_date_time(text, time); });
  }
  void operator()(const Guid& guid) const {
    append_quoted(out, [&guid](std::string& text) { append_guid(text, guid); });
  }
  void operator()(BinaryView binary) const {
    append_quoted(out, [binary](std::string& text) { append_base64(text, binary.bytes); });
  }
};

void write_property(std::string& out, ObjectWriter& object, bool annotate, const PropertyView& property) {
  if (annotate && needs_annotation(property.value)) {
    object.name(property.name, "@odata.type");
    out += '"';
    out += to_string(type_of(property.value));
    out += '"';
  }
  object.name(property.name);
  std::visit(ValueWriter{out}, property.value);
}

// --- Entities ----------------------------------------------------------------------------------------------

bool selects_all(const std::optional<Selection>& select) { return !select || select->names.empty(); }

bool selects(const std::optional<Selection>& select, std::string_view name) {
  return selects_all(select) ||
         std::find(select->names.begin(), select->names.end(), name) != select->names.end();
}

void write_properties(std::string& out, ObjectWriter& object, const PayloadFormat& format,
                      const std::optional<Selection>& select, const EntityView& entity) {
  const Annotations annotate = annotations(format);
  if (selects(select, "PartitionKey")) object.text("PartitionKey", entity.partition_key);
  if (selects(select, "RowKey")) object.text("RowKey", entity.row_key);
  if (selects(select, "Timestamp")) {
    if (annotate.all) object.text("Timestamp@odata.type", "Edm.DateTime");
    object.name("Timestamp");
    ValueWriter{out}(entity.timestamp);
  }
  for (const PropertyView& property : entity.properties) {
    if (selects(select, property.name)) write_property(out, object, annotate.some, property);
  }
  if (selects_all(select)) return;
  for (const std::string& name : select->names) {
    if (entity.find(name)) continue;
    object.name(name);
    out += "null";
  }
}

// All of an entity but the context, which only a document of its own has.
void write_members(std::string& out, ObjectWriter& object, const PayloadFormat& format,
                   const std::optional<Selection>& select, const EntityView& entity) {
  const Annotations annotate = annotations(format);
  std::string link;
  if (annotate.all) {
    link = format.table;
    append_key_predicate(link, entity.partition_key, entity.row_key);
    write_type(out, object, format, format.table);
    write_id(out, object, format, link);
  }
  if (annotate.some) object.text("odata.etag", etag_of(entity.timestamp));
  if (annotate.all) object.text("odata.editLink", link);
  write_properties(out, object, format, select, entity);
}

// --- Tables ------------------------------------------------------------------------------------------------

constexpr std::string_view kTableSet = "Tables";

void write_table_members(std::string& out, ObjectWriter& object, const PayloadFormat& format,
                         std::string_view name) {
  if (annotations(format).all) {
    std::string link(kTableSet);
    link += "('";
    link += name;
    link += "')";
    write_type(out, object, format, kTableSet);
    write_id(out, object, format, link);
    object.text("odata.editLink", link);
  }
  object.text("TableName", name);
}

// More names than an entity can have properties cannot select more; their nulls alone would make an answer of
// any size.
constexpr std::size_t kMaxSelectedNames = kMaxProperties + 3;

std::string replace_spaces(std::string_view text) {
  std::string replaced;
  for (const char c : text) {
    if (c == ' ') {
      replaced += "%20";
    } else {
      replaced += c;
    }
  }
  return replaced;
}

}  // namespace

std::string_view to_string(MetadataLevel level) {
  switch (level) {
    case MetadataLevel::None:
      return "nometadata";
    case MetadataLevel::Minimal:
      return "minimalmetadata";
    case MetadataLevel::Full:
      return "fullmetadata";
  }
  return {};
}

Selection parse_select(std::string_view text) {
  Selection selection{replace_spaces(text), {}};
  std::vector<std::string>& names = selection.names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (name == "*") {
      names.clear();
      return selection;
    }
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!name.empty() && !known && names.size() < kMaxSelectedNames) names.emplace_back(name);
  }
  return selection;
}

void write_entity(std::string& out, const PayloadFormat& format, const std::optional<Selection>& select,
                  const EntityView& entity) {
  ObjectWriter object(out);
  write_context_of_element(out, object, format, format.table, select);
  write_members(out, object, format, select, entity);
  object.finish();
}

EntitySetWriter::EntitySetWriter(std::string& out, const PayloadFormat& format,
                                 const std::optional<Selection>& select)
    : out_(out), format_(format), select_(select) {
  begin_set(out_, format_, format_.table, select_);
}

void EntitySetWriter::add(const EntityView& entity) {
  if (!first_) out_ += ',';
  first_ = false;
  ObjectWriter object(out_);
  write_members(out_, object, format_, select_, entity);
  object.finish();
}

void EntitySetWriter::finish() { out_ += "]}"; }

void write_table(std::string& out, const PayloadFormat& format, std::string_view name) {
  ObjectWriter object(out);
  write_context_of_element(out, object, format, kTableSet, std::nullopt);
  write_table_members(out, object, format, name);
  object.finish();
}

void write_table_set(std::string& out, const PayloadFormat& format, const std::vector<std::string>& names) {
  begin_set(out, format, kTableSet, std::nullopt);
  bool first = true;
  for (const std::string& name : names) {
    if (!first) out += ',';
    first = false;
    ObjectWriter object(out);
    write_table_members(out, object, format, name);
    object.finish();
  }
  out += "]}";
}

void write_error(std::string& out, std::string_view code, std::string_view message) {
  out += R"({"odata.error":{"code":)";
  append_json_string(out, code);
  out += R"(,"message":{"lang":"en-US","value":)";
  append_json_string(out, message);
  out += "}}}";
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

}  // namespace rocktable
