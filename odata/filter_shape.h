// The shape of a $filter: what stays the same when a program sends the same query with other values.
#pragma once

#include <string>

#include "odata/filter.h"

namespace rocktable {

// Writes the filter with `?` in place of literals: `PartitionKey eq ? and (Age gt ? or Age lt ?)`. Terms of a chain
// that are alike and follow each other are written once, then `...`: `RowKey eq ? or ...`. Parentheses are normalised.
std::string filter_shape(const Filter& filter);

}  // namespace rocktable
