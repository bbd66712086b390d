// How many entities a table, or a part of it, has.
#pragma once

#include <cstdint>

#include "odata/error.h"
#include "odata/key_ranges.h"
#include "storage/store.h"

namespace rocktable {

struct TableSize {
  std::uint64_t entities = 0;
  std::uint64_t bytes = 0;  // of keys and records
  bool is_exact = true;     // else both are estimates
};

// Counts the entities of `ranges` one by one, up to about `limit` and until the deadline. Estimates what is more by the
// bytes that the store says the rest has, beside those of what was counted. Errors: TableNotFound, ServerBusy as
// Store::scan().
Result<TableSize> size_of_table(const Store& store, const TableName& name, const KeyRanges& ranges, std::uint64_t limit,
                                ScanDeadline deadline);

}  // namespace rocktable
