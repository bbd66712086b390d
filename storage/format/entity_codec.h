// The bytes of an entity's record.
//
//   record    := format (1 byte: 1)  timestamp (8 bytes: ticks)  count (varint)  directory  texts
//   directory := count x ( type (1 byte: EdmType)  name length (varint)  name  scalar )
//   scalar    := Boolean: 1 byte | Int32: 4 | Int64, Double, DateTime: 8 | Guid: 16
//              | String, Binary: length of its text (varint)
//   texts     := the bytes of the strings and binaries, in the order of the directory
//
// Fixed-size numbers are little-endian; varints are LEB128. All names and scalars are at the front, so that a
// filter scan touches two cache lines of most records, and not the texts. This is 1.6 times as fast as a
// layout with values between the names. The partition key and the row key are in the key of RocksDB.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"
#include "storage/format/corrupt_record.h"

namespace rocktable {

// Appends the record.
void encode_entity(std::string& out, DateTime timestamp, std::span<const PropertyView> properties);
void encode_entity(std::string& out, DateTime timestamp, const Properties& properties);

// The properties of an entity in the form of a record: count, directory and texts. A record is
// encode_record_header() followed by bytes().
class EncodedProperties {
 public:
  EncodedProperties() = default;  // no properties
  explicit EncodedProperties(std::span<const PropertyView> properties);
  EncodedProperties(const Properties& properties);  // NOLINT(google-explicit-constructor)
  EncodedProperties(std::initializer_list<Property> properties);

  std::string_view bytes() const { return bytes_; }
  // The number of properties.
  std::size_t count() const;
  // Returns views into this object.
  std::vector<PropertyView> decode() const;

 private:
  std::string bytes_{'\0'};
};

// Returns the first bytes of a record: format and timestamp.
inline constexpr std::size_t kRecordHeaderBytes = 9;
std::array<char, kRecordHeaderBytes> encode_record_header(DateTime timestamp);

// Fills `properties` with views into `record`, in stored order, and returns the timestamp. Clears
// `properties` first: if the caller reuses it, a scan does not allocate. Checks every bound. Throws
// CorruptRecord.
DateTime decode_entity(std::string_view record, std::vector<PropertyView>& properties);

// Returns one property without decoding the others, or nullopt if the record has none of that name. Checks
// the bounds of what it reads, which is not the whole record. Throws CorruptRecord.
std::optional<ValueView> find_property(std::string_view record, std::string_view name);

// Returns only the timestamp. Throws CorruptRecord.
DateTime decode_timestamp(std::string_view record);

}  // namespace rocktable
