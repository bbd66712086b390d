// One scan of a table: visits the entities of key ranges in order, until the page is full or the deadline
// passes.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <functional>
#include <optional>

#include "odata/filter.h"
#include "odata/key_ranges.h"
#include "storage/request_stats.h"
#include "storage/rocksdb/concurrency/gate.h"
#include "storage/rocksdb/format/key_codec.h"
#include "storage/rocksdb/memo/column_memo.h"
#include "storage/store.h"

namespace rocktable {

// The parts of the store that all scans share.
struct ScanContext {
  rocksdb::DB& db;
  rocksdb::ColumnFamilyHandle* entities;
  std::atomic<int>& long_scans;  // number of long scans that are running
  const Gate& gate;              // the page ends early if it is_closing()
  ColumnMemo& memo;
};

struct ScanRequest {
  const ScanArguments& scan;
  TableId table;
  const std::function<bool()>& table_exists;  // whether the table still exists, with the same id
  RequestStats& stats;
};

// Returns the key to resume from, or nullopt at the end. Errors: ServerBusy if the table was deleted or
// emptied during the scan, so that rows may be missing from the visited ones.
//
// A long filter scan uses two threads if it is the only long scan. The boundaries of RocksDB's files divide
// the remaining range into stretches. While the caller's thread reads one stretch, a helper thread reads the
// next and copies the matches. The caller's thread then visits these copies, so that results keep their
// order. If the page could end within a stretch of the helper, its work is dropped, and the caller's thread
// reads the stretch itself. If RequestStats::progress sleeps, in order to yield to other requests, no helper
// is started.
//
// If the memo has a column for the filter, rows that cannot match are not read. They count as visited, so that costs,
// ends of pages and keys to resume from are the same as without it.
Result<std::optional<EntityKey>> scan_table(const ScanContext& context, const ScanRequest& request);

}  // namespace rocktable
