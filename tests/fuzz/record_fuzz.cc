// Any bytes as the record of an entity: CorruptRecord, or an entity that is unchanged after writing and
// reading. A truncated record is never an entity.
#include "storage/format/entity_codec.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

bool is_corrupt(std::string_view record) {
  std::vector<PropertyView> properties;
  try {
    decode_entity(record, properties);
    return false;
  } catch (const CorruptRecord&) {
    return true;
  }
}

std::string encoded(DateTime timestamp, const std::vector<PropertyView>& properties) {
  std::string out;
  encode_entity(out, timestamp, to_entity({{}, {}, timestamp, properties}).properties);
  return out;
}

void require_within(const PropertyView& property, std::string_view record) {
  require(lies_within(property.name, record), "a name lies outside of its record");
  if (const auto* text = std::get_if<std::string_view>(&property.value))
    require(lies_within(*text, record), "a text lies outside of its record");
  if (const auto* binary = std::get_if<BinaryView>(&property.value))
    require(lies_within(binary->bytes, record), "a binary lies outside of its record");
}

}  // namespace

void fuzz_record(std::string_view input) {
  if (is_corrupt(input)) return;
  std::vector<PropertyView> properties;
  const DateTime timestamp = decode_entity(input, properties);
  require(timestamp == decode_timestamp(input), "two timestamps of one record");
  for (const auto& property : properties) require_within(property, input);

  // Compares bytes instead of values, because NaN is unequal to itself.
  const std::string record = encoded(timestamp, properties);
  require(record.size() <= input.size(), "a record grows when it is written again");
  require(decode_entity(record, properties) == timestamp && encoded(timestamp, properties) == record,
          "a record changes when it is written again");
  for (std::size_t cut = 1; cut <= record.size(); cut += 1 + cut / 8)
    require(is_corrupt(std::string_view(record).substr(0, record.size() - cut)), "a cut record is read");
  require(is_corrupt(record + '\0'), "a record with a byte too many is read");
}

}  // namespace rocktable
