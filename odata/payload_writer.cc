// Writes responses as JSON. Every text passes through append_escaped, links and contexts too, because they
// contain text that clients sent.
#include "odata/payload_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/base64.h"
#include "base/buffered_text.h"
#include "base/text.h"
#include "odata/key_predicate.h"
#include "odata/syntax_error.h"

namespace rocktable {
namespace {

// --- Text --------------------------------------------------------------------------------------------------

constexpr auto kNeedsEscape = [] {
  std::array<bool, 256> needs{};
  for (unsigned c = 0; c < needs.size(); ++c) needs[c] = c < 0x20 || c == '"' || c == '\\';
  return needs;
}();

// Vector type of GCC and Clang: each operator below works on all sixteen bytes.
using Block = unsigned char __attribute__((vector_size(16)));

Block load_block(const char* bytes) {
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  return block;
}

// Returns a block with the bytes that need an escape; the others are zero.
Block marked(Block block) { return reinterpret_cast<Block>((block < 0x20) | (block == '"') | (block == '\\')); }

bool is_any(Block marks) {
  std::uint64_t halves[2];
  std::memcpy(halves, &marks, sizeof marks);
  return (halves[0] | halves[1]) != 0;
}

bool any_needs_escape(Block block) { return is_any(marked(block)); }

std::size_t clean_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i + 2 * sizeof(Block) <= text.size() &&
         !is_any(marked(load_block(text.data() + i)) | marked(load_block(text.data() + i + sizeof(Block)))))
    i += 2 * sizeof(Block);
  while (i + sizeof(Block) <= text.size() && !any_needs_escape(load_block(text.data() + i))) i += sizeof(Block);
  // The last block of a text overlaps the block before it.
  const bool in_last_block = i > 0 && i + sizeof(Block) > text.size();
  if (in_last_block && !any_needs_escape(load_block(text.data() + text.size() - sizeof(Block)))) return text.size();
  while (i < text.size() && !kNeedsEscape[static_cast<unsigned char>(text[i])]) ++i;
  return i;
}

void append_escape(BufferedText& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kShortLetters = "\"\\bfnrt";
  out.append('\\');
  if (const std::size_t found = kShort.find(c); found != std::string_view::npos) {
    out.append(kShortLetters[found]);
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out.append("u00");
  out.append(kDigits[byte >> 4]);
  out.append(kDigits[byte & 0x0Fu]);
}

void append_escaped_parts(BufferedText& out, std::string_view text) {
  for (;;) {
    const std::size_t clean = clean_prefix(text);
    out.append(text.substr(0, clean));
    if (clean == text.size()) return;
    append_escape(out, text[clean]);
    text.remove_prefix(clean + 1);
  }
}

// Appends a text of one to two words if nothing in it needs escaping. Reads and writes its first and its last word,
// which may overlap.
template <class Word>
bool append_two_words(BufferedText& out, std::string_view text) {
  const std::size_t last_at = text.size() - sizeof(Word);
  Word first, last;
  std::memcpy(&first, text.data(), sizeof first);
  std::memcpy(&last, text.data() + last_at, sizeof last);
  const Word words[] = {first, last, first, last};
  if (any_needs_escape(load_block(reinterpret_cast<const char*>(words)))) return false;
  char* const at = out.prepare(text.size());
  std::memcpy(at, &first, sizeof first);
  std::memcpy(at + last_at, &last, sizeof last);
  out.commit(at + text.size());
  return true;
}

void append_escaped(BufferedText& out, std::string_view text) {
  bool is_appended = false;  // property names and most keys
  if (text.size() >= sizeof(std::uint64_t)) {
    is_appended = text.size() <= sizeof(Block) && append_two_words<std::uint64_t>(out, text);
  } else if (text.size() >= sizeof(std::uint32_t)) {
    is_appended = append_two_words<std::uint32_t>(out, text);
  }
  if (!is_appended) append_escaped_parts(out, text);
}

void append_string(BufferedText& out, std::string_view text) {
  out.append('"');
  append_escaped(out, text);
  out.append('"');
}

// --- Members -----------------------------------------------------------------------------------------------

// Writes the members of one object in order, with `{` before the first and a comma before each other one.
class ObjectWriter {
 public:
  explicit ObjectWriter(BufferedText& out) : out_(out) {}

  // Writes the name of a member and the colon. The caller writes the value.
  void name(std::string_view name, std::string_view suffix = {}) {
    out_.append(first_ ? "{\"" : ",\"");
    first_ = false;
    append_escaped(out_, name);
    if (!suffix.empty()) out_.append(suffix);
    out_.append("\":");
  }

  void text(std::string_view name_of_member, std::string_view value) {
    name(name_of_member);
    append_string(out_, value);
  }

  void finish() { out_.append(first_ ? "{}" : "}"); }

 private:
  BufferedText& out_;
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
void append_context(BufferedText& out, const PayloadFormat& format, std::string_view set, std::string_view element,
                    const std::optional<Selection>& select) {
  out.append('"');
  append_escaped(out, format.base_url);
  out.append("/$metadata#");
  append_escaped(out, set);
  out.append(element);
  if (select) {
    out.append("&$select=");
    append_escaped(out, select->context);
  }
  out.append('"');
}

// Writes the context of a document of one element. Elements of a set have no context.
void write_context_of_element(BufferedText& out, ObjectWriter& object, const PayloadFormat& format,
                              std::string_view set, const std::optional<Selection>& select) {
  if (!annotations(format).some) return;
  object.name("odata.metadata");
  append_context(out, format, set, "/@Element", select);
}

void begin_set(BufferedText& out, const PayloadFormat& format, std::string_view set,
               const std::optional<Selection>& select) {
  ObjectWriter object(out);
  if (annotations(format).some) {
    object.name("odata.metadata");
    append_context(out, format, set, {}, select);
  }
  object.name("value");
  out.append('[');
}

void write_type(BufferedText& out, ObjectWriter& object, const PayloadFormat& format, std::string_view set) {
  object.name("odata.type");
  out.append('"');
  append_escaped(out, format.account);
  out.append('.');
  append_escaped(out, set);
  out.append('"');
}

// `link` is the part after the base URL. It is percent-encoded, so that nothing in it needs escaping.
void write_id(BufferedText& out, ObjectWriter& object, const PayloadFormat& format, std::string_view link) {
  object.name("odata.id");
  out.append('"');
  append_escaped(out, format.base_url);
  out.append('/');
  append_escaped(out, link);
  out.append('"');
}

// --- Values ------------------------------------------------------------------------------------------------

template <class Integer>
void append_integer(BufferedText& out, Integer value) {
  constexpr std::size_t kMaxLength = std::numeric_limits<Integer>::digits10 + 2;
  char* const at = out.prepare(kMaxLength);
  out.commit(std::to_chars(at, at + kMaxLength, value).ptr);
}

// Encodes in pieces that fit into the block. Only the last piece has padding.
void append_encoded(BufferedText& out, std::string_view bytes) {
  constexpr std::size_t kPiece = BufferedText::kBlockBytes / 4 * 3;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPiece))) {
    const std::string_view piece = bytes.substr(0, kPiece);
    out.commit(write_base64(out.prepare(base64_length(piece.size())), piece));
  }
}

// Other types are clear from the JSON value. JSON can write NaN and the infinities only as text.
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

struct ValueWriter {
  BufferedText& out;
  bool exact = false;  // write negative zero as -0.0

  void operator()(std::string_view text) const { append_string(out, text); }
  void operator()(bool truth) const { out.append(truth ? "true" : "false"); }
  void operator()(std::int32_t number) const { append_integer(out, number); }
  void operator()(std::int64_t number) const {
    quoted([&] { append_integer(out, number); });
  }
  void operator()(double number) const {
    const auto write = [&] {
      char* const at = out.prepare(kMaxDoubleLength);
      out.commit(exact ? write_exact_double(at, number) : write_double(at, number));
    };
    std::isfinite(number) ? write() : quoted(write);
  }
  void operator()(DateTime time) const {
    quoted([&] { out.commit(write_date_time(out.prepare(kMaxDateTimeLength), time)); });
  }
  void operator()(const Guid& guid) const {
    quoted([&] { out.commit(write_guid(out.prepare(kGuidLength), guid)); });
  }
  void operator()(BinaryView binary) const {
    quoted([&] { append_encoded(out, binary.bytes); });
  }

 private:
  // For text that needs no escaping.
  template <class Write>
  void quoted(Write write) const {
    out.append('"');
    write();
    out.append('"');
  }
};

void write_property(BufferedText& out, ObjectWriter& object, bool annotate, const PropertyView& property,
                    bool exact = false) {
  if (annotate && needs_annotation(property.value)) {
    object.name(property.name, "@odata.type");
    out.append('"');
    out.append(to_string(type_of(property.value)));
    out.append('"');
  }
  object.name(property.name);
  std::visit(ValueWriter{out, exact}, property.value);
}

// --- Entities ----------------------------------------------------------------------------------------------

bool selects_all(const std::optional<Selection>& select) { return !select || select->names.empty(); }

bool selects(const Selection& select, std::string_view name) {
  return std::find(select.names.begin(), select.names.end(), name) != select.names.end();
}

void write_properties(BufferedText& out, ObjectWriter& object, const PayloadFormat& format,
                      const std::optional<Selection>& select, const EntityView& entity) {
  const Annotations annotate = annotations(format);
  const bool all = selects_all(select);
  if (all || selects(*select, "PartitionKey")) object.text("PartitionKey", entity.partition_key);
  if (all || selects(*select, "RowKey")) object.text("RowKey", entity.row_key);
  if (all || selects(*select, "Timestamp")) {
    if (annotate.all) object.text("Timestamp@odata.type", "Edm.DateTime");
    object.name("Timestamp");
    ValueWriter{out}(entity.timestamp);
  }
  for (const PropertyView& property : entity.properties) {
    if (all || selects(*select, property.name)) write_property(out, object, annotate.some, property);
  }
  if (all) return;
  for (const std::string& name : select->names) {
    if (entity.find(name)) continue;
    object.name(name);
    out.append("null");
  }
}

// Writes all of an entity except the context, which only a document of its own has.
void write_members(BufferedText& out, ObjectWriter& object, const PayloadFormat& format,
                   const std::optional<Selection>& select, const EntityView& entity) {
  const Annotations annotate = annotations(format);
  std::string link;
  if (annotate.all) {
    link = format.table;
    append_key_predicate(link, entity.partition_key, entity.row_key);
    write_type(out, object, format, format.table);
    write_id(out, object, format, link);
  }
  if (annotate.some) {
    char etag[kMaxETagLength];
    object.text("odata.etag", {etag, write_etag(etag, entity.timestamp)});
  }
  if (annotate.all) object.text("odata.editLink", link);
  write_properties(out, object, format, select, entity);
}

// --- Tables ------------------------------------------------------------------------------------------------

constexpr std::string_view kTableSet = "Tables";

void write_table_members(BufferedText& out, ObjectWriter& object, const PayloadFormat& format, std::string_view name) {
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

// An entity cannot have more properties than this, so further names select nothing. Each would only add a
// null, and make the response arbitrarily large.
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

Result<Selection> parse_select(std::string_view text) {
  if (trim(text).empty()) return Selection{};
  Selection selection{replace_spaces(text), {}};
  std::vector<std::string>& names = selection.names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = trim(text.substr(begin, end - begin));
    if (!name.empty() && name != "*" && !begins_identifier(name.front()))
      return identifier_expected(text, static_cast<std::size_t>(name.data() - text.data()));
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
  BufferedText text(out);
  ObjectWriter object(text);
  write_context_of_element(text, object, format, format.table, select);
  write_members(text, object, format, select, entity);
  object.finish();
  text.flush();
}

void write_entity_body(std::string& out, const EntityView& entity, bool timestamp) {
  BufferedText text(out);
  ObjectWriter object(text);
  object.text("PartitionKey", entity.partition_key);
  object.text("RowKey", entity.row_key);
  if (timestamp) write_property(text, object, false, {"Timestamp", entity.timestamp});
  for (const PropertyView& property : entity.properties) write_property(text, object, true, property, true);
  object.finish();
  text.flush();
}

EntitySetWriter::EntitySetWriter(std::string& out, const PayloadFormat& format, const std::optional<Selection>& select)
    : out_(out), format_(format), select_(select) {
  begin_set(out_, format_, format_.table, select_);
}

void EntitySetWriter::add(const EntityView& entity) {
  if (!first_) out_.append(',');
  first_ = false;
  ObjectWriter object(out_);
  write_members(out_, object, format_, select_, entity);
  object.finish();
}

void EntitySetWriter::finish() {
  out_.append("]}");
  out_.flush();
}

void write_table(std::string& out, const PayloadFormat& format, std::string_view name) {
  BufferedText text(out);
  ObjectWriter object(text);
  write_context_of_element(text, object, format, kTableSet, std::nullopt);
  write_table_members(text, object, format, name);
  object.finish();
  text.flush();
}

void write_table_set(std::string& out, const PayloadFormat& format, const std::vector<std::string>& names) {
  BufferedText text(out);
  begin_set(text, format, kTableSet, std::nullopt);
  bool first = true;
  for (const std::string& name : names) {
    if (!first) text.append(',');
    first = false;
    ObjectWriter object(text);
    write_table_members(text, object, format, name);
    object.finish();
  }
  text.append("]}");
  text.flush();
}

void write_error(std::string& out, std::string_view code, std::string_view message) {
  out += R"({"odata.error":{"code":)";
  append_json_string(out, code);
  out += R"(,"message":{"lang":"en-US","value":)";
  append_json_string(out, message);
  out += "}}}";
}

void append_json_string(std::string& out, std::string_view text) {
  BufferedText buffered(out);
  append_string(buffered, text);
  buffered.flush();
}

}  // namespace rocktable
