// The keys that a query reads, in words.
#pragma once

#include <string>

#include "odata/key_ranges.h"

namespace rocktable {

// `PartitionKey = 'de', RowKey from '5' to before '6'`. Quotes in keys are doubled, as in a filter.
std::string describe(const KeyRange& range);

}  // namespace rocktable
