#include "storage/format/entity_codec.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "storage/format/record_reader.h"

namespace rocktable {
namespace {

using record::is_text;
using record::read_header;
using record::read_scalar;
using record::read_type;
using record::Reader;
using record::scalar_size;
using record::text_of;

static_assert(std::endian::native == std::endian::little, "records are little-endian");

// LEB128: seven bits in each byte, the lowest first.
std::size_t varint_size(std::size_t number) {
  std::size_t size = 1;
  for (; number >= 0x80; number >>= 7) ++size;
  return size;
}

// Writes the parts of a record to memory that has room for them.
class Writer {
 public:
  explicit Writer(char* out) : out_(out) {}

  void byte(std::uint8_t value) { *out_++ = static_cast<char>(value); }

  void bytes(std::string_view bytes) {
    if (bytes.empty()) return;  // may have no address
    std::memcpy(out_, bytes.data(), bytes.size());
    out_ += bytes.size();
  }

  template <class Number>
  void fixed(Number number) {
    std::memcpy(out_, &number, sizeof(Number));
    out_ += sizeof(Number);
  }

  void varint(std::size_t number) {
    for (; number >= 0x80; number >>= 7) byte(static_cast<std::uint8_t>(number | 0x80));
    byte(static_cast<std::uint8_t>(number));
  }

 private:
  char* out_;
};

void write_scalar(Writer& out, const ValueView& value) {
  switch (type_of(value)) {
    case EdmType::String:
    case EdmType::Binary:
      return out.varint(text_of(value).size());
    case EdmType::Boolean:
      return out.byte(std::get<bool>(value) ? 1 : 0);
    case EdmType::Int32:
      return out.fixed(std::get<std::int32_t>(value));
    case EdmType::Int64:
      return out.fixed(std::get<std::int64_t>(value));
    case EdmType::Double:
      return out.fixed(std::get<double>(value));
    case EdmType::DateTime:
      return out.fixed(std::get<DateTime>(value).ticks);
    case EdmType::Guid:
      return out.fixed(std::get<Guid>(value).bytes);
  }
}

// The size of the count, the directory and the texts.
std::size_t encoded_size(std::span<const PropertyView> properties) {
  std::size_t size = varint_size(properties.size());
  for (const auto& [name, value] : properties) {
    const EdmType type = type_of(value);
    const std::size_t text = text_of(value).size();
    size += 1 + varint_size(name.size()) + name.size() + (is_text(type) ? varint_size(text) + text : scalar_size(type));
  }
  return size;
}

void append_properties(std::string& out, std::span<const PropertyView> properties) {
  const std::size_t begin = out.size();
  out.resize(begin + encoded_size(properties));
  Writer writer(out.data() + begin);
  writer.varint(properties.size());
  for (const auto& [name, value] : properties) {
    writer.byte(static_cast<std::uint8_t>(type_of(value)));
    writer.varint(name.size());
    writer.bytes(name);
    write_scalar(writer, value);
  }
  for (const auto& property : properties) writer.bytes(text_of(property.value));
}

// Reads what append_properties() writes, up to the end.
void read_properties(Reader& reader, std::vector<PropertyView>& properties) {
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
    if (auto* binary = std::get_if<BinaryView>(&property.value)) binary->bytes = reader.bytes(binary->bytes.size());
  }
  if (!reader.rest().empty()) throw CorruptRecord("a record continues after its last text");
}

}  // namespace

std::array<char, kRecordHeaderBytes> encode_record_header(DateTime timestamp) {
  std::array<char, kRecordHeaderBytes> out;
  Writer writer(out.data());
  writer.byte(kRecordFormat);
  writer.fixed(timestamp.ticks);
  return out;
}

void encode_entity(std::string& out, DateTime timestamp, std::span<const PropertyView> properties) {
  const auto header = encode_record_header(timestamp);
  out.append(header.data(), header.size());
  append_properties(out, properties);
}

void encode_entity(std::string& out, DateTime timestamp, const Properties& properties) {
  encode_entity(out, timestamp, view_of(properties));
}

EncodedProperties::EncodedProperties(std::span<const PropertyView> properties) {
  bytes_.clear();
  append_properties(bytes_, properties);
}

EncodedProperties::EncodedProperties(const Properties& properties)
    : EncodedProperties(std::span<const PropertyView>(view_of(properties))) {}

EncodedProperties::EncodedProperties(std::initializer_list<Property> properties)
    : EncodedProperties(Properties(properties)) {}

std::size_t EncodedProperties::count() const { return Reader(bytes_).varint(); }

std::vector<PropertyView> EncodedProperties::decode() const {
  std::vector<PropertyView> properties;
  Reader reader(bytes_);
  read_properties(reader, properties);
  return properties;
}

DateTime decode_entity(std::string_view record, std::vector<PropertyView>& properties) {
  properties.clear();
  Reader reader(record);
  const DateTime timestamp = read_header(reader);
  read_properties(reader, properties);
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
    if (is_wanted) {
      read_scalar(reader, type, found.emplace());
      if (!is_text(type)) return found;
      texts_before = texts;
      texts += text_of(*found).size();
    } else if (is_text(type)) {
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
