// Any bytes as the JSON of an entity: refused, or JSON to another parser as well, and an entity that is
// unchanged after writing and reading, at each metadata level that has types. Also any bytes as the body that
// creates a table.
#include <cmath>
#include <nlohmann/json.hpp>

#include "odata/payload_reader.h"
#include "odata/payload_writer.h"
#include "storage/format/entity_codec.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

using Json = nlohmann::json;

Json parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  require(json.is_object(), "what is written is no JSON");
  return json;
}

// Responses write negative zero as zero.
Properties normalised(Properties properties) {
  for (auto& property : properties)
    if (auto* number = std::get_if<double>(&property.value); number != nullptr && *number == 0) *number = 0;
  return properties;
}

// Compares bytes, because NaN is unequal to itself.
std::string bytes_of(const EntityPayload& payload) {
  std::string out = payload.partition_key.value_or("") + '\0' + payload.row_key.value_or("") + '\0';
  encode_entity(out, kUnixEpoch, normalised(payload.properties));
  return out;
}

PayloadFormat format_of(MetadataLevel level) { return {level, "http://h/acc", "acc", "t"}; }

std::string written(MetadataLevel level, const EntityView& entity) {
  std::string out;
  write_entity(out, format_of(level), std::nullopt, entity);
  return out;
}

void check_set(MetadataLevel level, const EntityView& entity, Json document) {
  std::string text;
  const PayloadFormat format = format_of(level);
  const std::optional<Selection> all;
  EntitySetWriter set(text, format, all);
  set.add(entity);
  set.add(entity);
  set.finish();
  document.erase("odata.metadata");
  require(parsed(text).at("value") == Json::array({document, document}), "a page holds other entities");
}

Json without_annotations(const Json& document) {
  Json out = Json::object();
  for (const auto& [name, value] : document.items())
    if (name.find("odata.") == name.npos) out[name] = value;
  return out;
}

void check_entity_written(const EntityPayload& payload, std::size_t input_bytes) {
  const std::string partition_key = payload.partition_key.value_or(""), row_key = payload.row_key.value_or("");
  const auto properties = view_of(payload.properties);
  const EntityView entity{partition_key, row_key, kUnixEpoch, properties};
  const Json plain = parsed(written(MetadataLevel::None, entity));
  for (const auto level : {MetadataLevel::Minimal, MetadataLevel::Full}) {
    const std::string text = written(level, entity);
    require(text.size() <= 2048 + 8 * input_bytes, "an entity grows without end");
    const auto again = read_entity(text);
    require(again && bytes_of(*again) == bytes_of(payload), "an entity changes when written and read");
    const Json document = parsed(text);
    require(without_annotations(document) == plain, "the levels hold different values");
    check_set(level, entity, document);
  }
  check_set(MetadataLevel::None, entity, plain);
}

void check_new_table(std::string_view input) {
  const auto name = read_table_name(input);
  if (!name) return require_refusal(name.error(), input.size());
  for (const auto level : {MetadataLevel::None, MetadataLevel::Minimal, MetadataLevel::Full}) {
    std::string text;
    write_table(text, format_of(level), *name);
    const auto again = read_table_name(text);
    require(again && *again == *name, "a table's name changes when written and read");
  }
}

}  // namespace

void fuzz_entity(std::string_view input) {
  check_new_table(input);
  const auto payload = read_entity(input);
  if (!payload) return require_refusal(payload.error(), input.size());
  const bool empty = input.find_first_not_of(" \t\r\n") == input.npos;
  require(empty || Json::accept(input), "read, and no JSON");
  require(payload->properties.size() <= kMaxProperties, "too many properties");
  check_entity_written(*payload, input.size());
}

}  // namespace rocktable
