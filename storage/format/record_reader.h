// Reads the parts of a record (entity_codec.h) from its front. For the files of this room.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <variant>

#include "odata/value.h"
#include "storage/format/corrupt_record.h"

namespace rocktable::record {

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

inline DateTime read_header(Reader& reader) {
  if (reader.byte() != kRecordFormat) throw CorruptRecord("a record's format is unknown");
  return {reader.fixed<std::int64_t>()};
}

// Inlined by force, as the next function: the calls would cost a tenth of decode_entity().
[[gnu::always_inline]] inline EdmType read_type(Reader& reader) {
  const std::uint8_t type = reader.byte();
  if (type >= kEdmTypeCount) throw CorruptRecord("a property's type is unknown");
  return static_cast<EdmType>(type);
}

inline Guid to_guid(std::string_view bytes) {
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
inline std::size_t scalar_size(EdmType type) {
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

inline bool is_text(EdmType type) { return type == EdmType::String || type == EdmType::Binary; }

// The text of a String or Binary; for others, an empty view.
inline std::string_view text_of(const ValueView& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return *text;
  if (const auto* binary = std::get_if<BinaryView>(&value)) return binary->bytes;
  return {};
}

}  // namespace rocktable::record
