#include "odata/advice/key_sketch.h"

#include <algorithm>
#include <utility>

namespace rocktable {
namespace {

using Change = KeySketch::Change;

constexpr std::size_t kMaxPropertiesOfKey = 3;

KeyPart text_part(std::string text) { return {std::move(text), std::nullopt}; }
KeyPart value_part(ComparedProperty property) { return {"", std::move(property)}; }

const ComparedProperty kPartitionKeyValue{"PartitionKey", EdmType::String};
const ComparedProperty kRowKeyValue{"RowKey", EdmType::String};

// `Customer,Status:{Customer}:{Status}`: the names keep entities of several such indexes apart.
KeyTemplate key_of(const std::vector<ComparedProperty>& properties) {
  std::string names;
  for (const auto& property : properties) names.append(names.empty() ? "" : ",").append(property.name);
  KeyTemplate out;
  for (const auto& property : properties) {
    out.push_back(text_part(out.empty() ? names + ":" : ":"));
    out.push_back(value_part(property));
  }
  return out;
}

void append(KeyTemplate& key, const ComparedProperty& property) {
  if (!key.empty()) key.push_back(text_part(":"));
  key.push_back(value_part(property));
}

std::vector<ComparedProperty> first_of(std::vector<ComparedProperty> properties) {
  // The service sets Timestamp when it stores the entity, so that no key can have it.
  std::erase_if(properties, [](const ComparedProperty& one) { return one.name == "Timestamp"; });
  if (properties.size() > kMaxPropertiesOfKey) properties.resize(kMaxPropertiesOfKey);
  return properties;
}

KeySketch index_in_partition(const QueryTerms& terms, const std::vector<ComparedProperty>& equal,
                             std::optional<ComparedProperty> ranged) {
  KeySketch out;
  out.change = Change::IndexInPartition;
  out.partition_key = {value_part(kPartitionKeyValue)};
  if (equal.empty()) {
    out.prefix = {text_part(ranged->name)};
  } else {
    out.prefix = key_of(equal);
  }
  out.row_key = out.prefix;
  if (ranged) {
    append(out.row_key, *ranged);
    out.range = std::move(ranged);
  } else {
    out.range = terms.row_range;
  }
  append(out.row_key, kRowKeyValue);
  return out;
}

KeySketch index_elsewhere(const QueryTerms& terms, std::vector<ComparedProperty> equal,
                          std::optional<ComparedProperty> ranged) {
  KeySketch out;
  out.change = Change::IndexElsewhere;
  if (terms.names_row) equal.push_back(kRowKeyValue);
  if (equal.empty()) {
    out.partition_key = {text_part(ranged->name)};
    out.is_one_partition = true;
  } else {
    out.partition_key = key_of(equal);
  }
  if (ranged) {
    append(out.row_key, *ranged);
    out.range = std::move(ranged);
  } else {
    out.range = terms.partition_range;
  }
  append(out.row_key, kPartitionKeyValue);
  if (!terms.names_row) append(out.row_key, kRowKeyValue);
  return out;
}

}  // namespace

std::optional<KeySketch> key_sketch(const QueryTerms& terms) {
  if (terms.joins_partitions_by_or || terms.joins_rows_by_or) {
    KeySketch out;
    out.change = terms.joins_partitions_by_or ? Change::QueryOfEach : Change::ReadOfEach;
    if (out.change == Change::ReadOfEach && !terms.names_partition) return std::nullopt;
    return out;
  }
  if (terms.names_partition && terms.names_row) return std::nullopt;
  const auto equal = first_of(terms.equal), ranged = first_of(terms.ranged);
  const bool names_row_alone = terms.names_row && !terms.names_partition;
  if (equal.empty() && ranged.empty() && !names_row_alone) return std::nullopt;
  const auto range = ranged.empty() ? std::nullopt : std::optional(ranged.front());
  KeySketch out =
      terms.names_partition ? index_in_partition(terms, equal, range) : index_elsewhere(terms, equal, range);
  for (const auto& property : equal) out.properties.push_back(property.name);
  if (range) out.properties.push_back(range->name);
  if (names_row_alone) out.properties.push_back("RowKey");
  return out;
}

std::string to_string(const KeyTemplate& key) {
  std::string out;
  for (const KeyPart& part : key) out += part.property ? "{" + part.property->name + "}" : part.text;
  return out;
}

std::string filter_of(const KeySketch& sketch) {
  if (sketch.partition_key.empty()) return {};
  std::string out = "PartitionKey eq '" + to_string(sketch.partition_key) + "'";
  const std::string prefix = sketch.prefix.empty() ? "" : to_string(sketch.prefix) + ":";
  const std::string value = sketch.range ? prefix + "{" + sketch.range->name + "}" : "";
  if (sketch.range && sketch.range->has_lower_bound) {
    out += " and RowKey ge '" + value + "'";
  } else if (!prefix.empty()) {
    out += " and RowKey ge '" + prefix + "'";
  }
  if (sketch.range && sketch.range->has_upper_bound) {
    out += " and RowKey lt '" + value + "'";
  } else if (!prefix.empty()) {
    out += " and RowKey lt '" + to_string(sketch.prefix) + ";'";  // `;` is the character after `:`
  }
  return out;
}

}  // namespace rocktable
