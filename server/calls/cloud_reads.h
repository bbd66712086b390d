// What the service would read to answer a query that rocktable answers with less.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/threads/mutex.h"
#include "server/request/caller.h"
#include "server/request/operation.h"
#include "server/request/request_notes.h"
#include "storage/store.h"

namespace rocktable {

// Thread-safe. Takes 24 KiB.
class CloudReads {
 public:
  // Further entities are estimated by the bytes that they take.
  static constexpr std::uint64_t kMaxCounted = 10'000;

  // Returns the number of entities that the service would scan for this page: those of its range, from the page's
  // beginning up to where the next page begins. Only for queries that have a `cloud` plan. It counts them as they are
  // in the store, and counts the same range again once in `entities` / 8 pages, so that a page of a query pays for a
  // few rows. Returns at least `scanned_here`. Never throws: an estimate must not spoil an answer.
  std::uint64_t estimate(const Store& store, const TableName& name, const QueryEntities& query, const Caller& caller,
                         const std::optional<EntityKey>& next, std::uint64_t scanned_here);

 private:
  struct Known {
    std::uint64_t range = 0;  // its hash; 0: none
    std::uint64_t entities = 0;
    std::uint64_t credit = 0;  // counts again from `entities` on
  };

  Mutex mutex_;
  std::array<Known, 1'024> known_;  // each at a place of its own; a range may take that of another
};

}  // namespace rocktable
