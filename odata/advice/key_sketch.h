// A second entity under keys that a query knows, and the query that finds it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "odata/advice/query_terms.h"

namespace rocktable {

// A key made of texts and of values of properties: `Customer:{Customer}`.
struct KeyPart {
  std::string text;                          // if it has no property
  std::optional<ComparedProperty> property;  // its value, as text that is in the order of the values

  bool operator==(const KeyPart&) const = default;
};
using KeyTemplate = std::vector<KeyPart>;

// Sketches of the design guide: learn.microsoft.com/azure/storage/tables/table-storage-design-patterns
struct KeySketch {
  enum class Change {
    IndexInPartition,  // a second entity in the same partition, by one transaction
    IndexElsewhere,    // a second entity in another partition
    QueryOfEach,       // a query of each partition that the filter names
    ReadOfEach,        // a point read of each row that the filter names
    OneQuery,          // one query of rows that were read one by one
    OneTransaction,    // one transaction for entities that were written one by one
  };
  Change change{};
  KeyTemplate partition_key, row_key;     // of the second entity
  KeyTemplate prefix;                     // of the RowKeys that the query wants, of an index in a partition
  std::optional<ComparedProperty> range;  // what the query compares by order, at the end of `prefix`
  std::vector<std::string> properties;    // whose values are in the new keys
  bool is_one_partition = false;          // all second entities are in one partition
};

// Returns nullopt if no second entity would help: the query names what it wants, or asks for everything.
std::optional<KeySketch> key_sketch(const QueryTerms& terms);

// `Customer:{Customer}`
std::string to_string(const KeyTemplate& key);

// The filter of the query, with names of properties for their values: `PartitionKey eq 'Customer:{Customer}'`. Empty
// for a change without a second entity.
std::string filter_of(const KeySketch& sketch);

}  // namespace rocktable
