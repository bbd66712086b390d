#include "storage/postgres/entity_rows.h"

#include <algorithm>

namespace rocktable {

std::string_view record_with_ticks(PgRows& rows, int row, int ticks, int record) {
  const auto bytes = rows.buffer(row, record);
  if (bytes.size() < kRecordHeaderBytes) throw CorruptRecord("an entity's record is shorter than its header");
  if (static_cast<unsigned char>(bytes[0]) == kRecordFormat)
    std::ranges::copy(encode_record_header({rows.number(row, ticks)}), bytes.begin());
  return {bytes.data(), bytes.size()};
}

std::string record_without_ticks(const EncodedProperties& properties) {
  const auto header = encode_record_header({});
  std::string out(header.begin(), header.end());
  out += properties.bytes();
  return out;
}

}  // namespace rocktable
