// One scan of a table: visits the entities of key ranges in order, until the page is full or time is up.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <functional>
#include <optional>

#include "odata/filter.h"
#include "odata/key_ranges.h"
#include "storage/format/key_codec.h"
#include "storage/gate.h"
#include "storage/page_rules.h"
#include "storage/request_stats.h"

namespace rocktable {

// What all scans of a store have in common.
struct ScanContext {
  rocksdb::DB& db;
  rocksdb::ColumnFamilyHandle* entities;
  std::atomic<int>& long_scans;  // at work
  const Gate& gate;              // where it presses, the page ends
};

// As TableStore::scan has it.
struct ScanRequest {
  TableId table;
  const KeyRanges& ranges;
  int page_size;
  ScanDeadline deadline;
  const std::function<bool(const EntityView&)>& visit;
  const Filter* filter;                   // may be null
  const std::function<bool()>& is_full;   // may be empty
  const std::function<bool()>& is_there;  // whether the table still is, with the same rows
  RequestStats& stats;
};

// The key to resume from, or nothing at the end. Errors: ServerBusy, where the table was deleted or emptied so that what
// was visited may have holes.
//
// A long scan by a filter is shared by two threads as long as it is the only one: the borders of RocksDB's files cut
// what is left into stretches, and while the caller's thread goes through one, a helper goes through the next. What
// the helper finds is offered in its turn, so that results keep their order; where the page could end within, the
// helper's work is dropped and the caller's thread does it again. Whoever rests in RequestStats::progress makes way
// for other requests: then there is no helper.
Result<std::optional<EntityKey>> scan_table(const ScanContext& context, const ScanRequest& request);

}  // namespace rocktable
