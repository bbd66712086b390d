#include "storage/format/entity_codec.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace rocktable {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

template <class Number>
void append_fixed(std::string& out, Number number) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof(Number));
  out.append(bytes, sizeof(Number));
}

void append_varint(std::string& out, std::size_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

struct AppendScalar {
  std::string& out;

  void operator()(const std::string& text) const { append_varint(out, text.size()); }
  void operator()(const Binary& binary) const { append_varint(out, binary.bytes.size()); }
  void operator()(bool value) const { out += value ? '\1' : '\0'; }
  void operator()(std::int32_t value) const { append_fixed(out, value); }
  void operator()(std::int64_t value) const { append_fixed(out, value); }
  void operator()(double value) const { append_fixed(out, value); }
  void operator()(DateTime value) const { append_fixed(out, value.ticks); }
  void operator()(const Guid& value) const {
    out.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  }
};

// Takes bytes off the front of a record. Throws CorruptRecord if too few are left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) throw CorruptRecord("a record ends too early");
    const auto out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }

  template <class Number>
  Number fixed() {
    Number number;
    std::memcpy(&number, bytes(sizeof(Number)).data(), sizeof(Number));
    return number;
  }

  std::uint8_t byte() { return fixed<std::uint8_t>(); }

  // Reads a length or a count: below 2^28, which is more than any limit of an entity.
  std::size_t varint() {
    std::size_t number = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      const std::uint8_t b = byte();
      number |= static_cast<std::size_t>(b & 0x7F) << shift;
      if (b < 0x80) return number;
    }
    throw CorruptRecord("a length in a record is too large");
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

DateTime read_header(Reader& reader) {
  if (reader.byte() != kRecordFormat) throw CorruptRecord("a record's format is unknown");
  return {reader.fixed<std::int64_t>()};
}

// Inlined by force, as the next function: the calls would cost a tenth of decode_entity().
[[gnu::always_inline]] inline EdmType read_type(Reader& reader) {
  const std::uint8_t type = reader.byte();
  if (type >= kEdmTypeCount) throw CorruptRecord("a property's type is unknown");
  return static_cast<EdmType>(type);
}

Guid to_guid(std::string_view bytes) {
  Guid guid;
  std::memcpy(guid.bytes.data(), bytes.data(), guid.bytes.size());
  return guid;
}

// Reads a scalar of the directory. Strings and binaries get only their length; decode_entity() sets their
// bytes afterwards. Writes in place: a returned value would be stored in parts and loaded as a whole for the
// move, which stalls the processor.
[[gnu::always_inline]] inline void read_scalar(Reader& reader, EdmType type, ValueView& out) {
  switch (type) {
    case EdmType::String:
      out.emplace<std::string_view>(reader.rest().data(), reader.varint());
      return;
    case EdmType::Binary:
      out.emplace<BinaryView>(std::string_view(reader.rest().data(), reader.varint()));
      return;
    case EdmType::Boolean:
      out.emplace<bool>(reader.byte() != 0);
      return;
    case EdmType::Int32:
      out.emplace<std::int32_t>(reader.fixed<std::int32_t>());
      return;
    case EdmType::Int64:
      out.emplace<std::int64_t>(reader.fixed<std::int64_t>());
      return;
    case EdmType::Double:
      out.emplace<double>(reader.fixed<double>());
      return;
    case EdmType::DateTime:
      out.emplace<DateTime>(DateTime{reader.fixed<std::int64_t>()});
      return;
    case EdmType::Guid:
      out.emplace<Guid>(to_guid(reader.bytes(16)));
      return;
  }
  throw CorruptRecord("a property's type is unknown");
}

// The bytes of a scalar in the directory, for types without text.
std::size_t scalar_size(EdmType type) {
  switch (type) {
    case EdmType::Boolean:
      return 1;
    case EdmType::Int32:
      return 4;
    case EdmType::Guid:
      return 16;
    default:
      return 8;
  }
}

// The text of a String or Binary; for others, an empty view.
std::string_view text_of(const ValueView& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return *text;
  if (const auto* binary = std::get_if<BinaryView>(&value)) return binary->bytes;
  return {};
}

}  // namespace

void encode_entity(std::string& out, DateTime timestamp, const Properties& properties) {
  out += static_cast<char>(kRecordFormat);
  append_fixed(out, timestamp.ticks);
  append_varint(out, properties.size());
  for (const auto& [name, value] : properties) {
    out += static_cast<char>(type_of(value));
    append_varint(out, name.size());
    out += name;
    std::visit(AppendScalar{out}, value);
  }
  for (const auto& property : properties) {
    if (const auto* text = std::get_if<std::string>(&property.value)) out += *text;
    if (const auto* binary = std::get_if<Binary>(&property.value)) out += binary->bytes;
  }
}

DateTime decode_entity(std::string_view record, std::vector<PropertyView>& properties) {
  properties.clear();
  Reader reader(record);
  const DateTime timestamp = read_header(reader);
  const std::size_t count = reader.varint();
  properties.reserve(std::min(count, kMaxProperties));  // the count of a damaged record may be anything
  for (std::size_t i = 0; i < count; ++i) {
    const EdmType type = read_type(reader);
    const std::string_view name = reader.bytes(reader.varint());
    PropertyView& property = properties.emplace_back();
    property.name = name;
    read_scalar(reader, type, property.value);
  }
  for (auto& property : properties) {
    if (auto* text = std::get_if<std::string_view>(&property.value)) *text = reader.bytes(text->size());
    if (auto* binary = std::get_if<BinaryView>(&property.value))
      binary->bytes = reader.bytes(binary->bytes.size());
  }
  if (!reader.rest().empty()) throw CorruptRecord("a record continues after its last text");
  return timestamp;
}

std::optional<ValueView> find_property(std::string_view record, std::string_view name) {
  Reader reader(record);
  read_header(reader);
  std::optional<ValueView> found;
  std::size_t texts_before = 0, texts = 0;  // bytes
  for (std::size_t left = reader.varint(); left > 0; --left) {
    const EdmType type = read_type(reader);
    const bool is_wanted = reader.bytes(reader.varint()) == name && !found;
    const bool is_text = type == EdmType::String || type == EdmType::Binary;
    if (is_wanted) {
      read_scalar(reader, type, found.emplace());
      if (!is_text) return found;
      texts_before = texts;
      texts += text_of(*found).size();
    } else if (is_text) {
      texts += reader.varint();
    } else {
      reader.bytes(scalar_size(type));
    }
  }
  if (!found) return std::nullopt;
  reader.bytes(texts_before);
  const std::string_view text = reader.bytes(text_of(*found).size());
  if (std::holds_alternative<BinaryView>(*found)) return BinaryView{text};
  return text;
}

DateTime decode_timestamp(std::string_view record) {
  Reader reader(record);
  return read_header(reader);
}

}  // namespace rocktable
