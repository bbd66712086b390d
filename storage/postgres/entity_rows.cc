#include "storage/postgres/entity_rows.h"

#include <algorithm>
#include <random>

namespace rocktable {

std::string_view record_with_ticks(PgRows& rows, int row, int ticks, int record) {
  const auto bytes = rows.buffer(row, record);
  if (bytes.size() < kRecordHeaderBytes) throw CorruptRecord("an entity's record is shorter than its header");
  if (static_cast<unsigned char>(bytes[0]) == kRecordFormat)
    std::ranges::copy(encode_record_header({rows.number(row, ticks)}), bytes.begin());
  return {bytes.data(), bytes.size()};
}

WriteMark new_write_mark() {
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  WriteMark out = 0;
  while (out == 0) out = random();
  return out;
}

std::string marked_record(WriteMark mark, const EncodedProperties& properties) {
  const auto header = encode_record_header({static_cast<std::int64_t>(mark)});
  std::string out(header.begin(), header.end());
  out += properties.bytes();
  return out;
}

WriteMark mark_of(const PgRows& rows, int row, int record) {
  return static_cast<WriteMark>(decode_timestamp(rows.bytes(row, record)).ticks);
}

}  // namespace rocktable
