// What a query asks of keys and of properties, as its fingerprint tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/value.h"

namespace rocktable {

// A property that a filter compares.
struct ComparedProperty {
  std::string name;
  EdmType type = EdmType::String;                         // of the literal; String where no example has it
  bool has_lower_bound = false, has_upper_bound = false;  // compared by gt or ge; by lt or le

  bool operator==(const ComparedProperty&) const = default;
};

// The conditions that `and` joins, by what a key could do with them.
struct QueryTerms {
  bool names_partition = false;                                // PartitionKey eq ?
  bool names_row = false;                                      // RowKey eq ?
  std::optional<ComparedProperty> partition_range, row_range;  // the key, compared by order
  bool joins_partitions_by_or = false;                         // each alternative names its PartitionKey
  bool joins_rows_by_or = false;                               // RowKey eq ? or ...
  std::vector<ComparedProperty> equal;   // properties compared by eq, in the order of the filter, each once
  std::vector<ComparedProperty> ranged;  // properties compared by order, likewise
  bool has_others = false;               // conditions that no key serves, such as `ne`
};

// Reads a fingerprint (filter_shape()). Types come from `example`, the method and target of one such request. Returns
// nullopt for an empty fingerprint, and for one that is not a filter: `*`, or text that was too long.
std::optional<QueryTerms> query_terms(std::string_view fingerprint, std::string_view example);

}  // namespace rocktable
