// How many entities a table, or a part of it, has.
#pragma once

#include <cstdint>

#include "odata/error.h"
#include "odata/key_ranges.h"
#include "storage/page_rules.h"
#include "storage/store_types.h"

namespace rocktable {

class TableStore;

struct TableSize {
  std::uint64_t entities = 0;
  std::uint64_t bytes = 0;  // of keys and records
  bool is_exact = true;     // else both are estimates
};

// Counts the entities of `ranges` one by one, up to about `most` and until the deadline. Estimates what is more by the bytes
// that the engine says the ranges have. Errors: TableNotFound, ServerBusy as TableStore::scan().
Result<TableSize> size_of_table(const TableStore& store, const TableName& name, const KeyRanges& ranges,
                                std::uint64_t most, ScanDeadline deadline);

}  // namespace rocktable
