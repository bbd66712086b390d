// The bytes of an entity's record.
//
//   record    := format (1 byte: 1)  timestamp (8 bytes: ticks)  count (varint)  directory  texts
//   directory := count x ( type (1 byte: EdmType)  name length (varint)  name  scalar )
//   scalar    := Boolean: 1 byte | Int32: 4 | Int64, Double, DateTime: 8 | Guid: 16
//              | String, Binary: length of its text (varint)
//   texts     := the bytes of the strings and binaries, in the order of the directory
//
// Fixed-size numbers are little-endian; varints are LEB128. All names and scalars stand in front, so that a
// filter scan touches two cache lines of most records and not the texts between them (1.6 times as fast as
// with values in between). The partition key and row key are in RocksDB's key.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "odata/entity.h"

namespace rocktable {

inline constexpr unsigned char kRecordFormat = 1;

// Stored bytes that no version of ours can have written: a damaged disk.
class CorruptRecord : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Appends the record.
void encode_entity(std::string& out, DateTime timestamp, const Properties& properties);

// Fills `properties` with views into `record`, in stored order, and returns the timestamp. `properties` is
// cleared first: reuse it, and a scan does not allocate. Every bound is checked. Throws CorruptRecord.
DateTime decode_entity(std::string_view record, std::vector<PropertyView>& properties);

// The timestamp alone. Throws CorruptRecord.
DateTime decode_timestamp(std::string_view record);

}  // namespace rocktable
