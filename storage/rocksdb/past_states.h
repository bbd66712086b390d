// States of the store some time ago, for readers of a secondary location that is behind.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "odata/date_time.h"

namespace rocktable {

// Thread-safe. Keeps a snapshot of RocksDB for each hundredth of the time, so a reader may see writes that are newer by
// that much.
class PastStates {
 public:
  using State = std::shared_ptr<const rocksdb::Snapshot>;

  // From now on, states are kept for so many ticks; zero: none, and drops those there are.
  void keep(std::int64_t ticks);

  // Call before each write. Does nothing if no states are kept.
  void before_write(rocksdb::DB& db, DateTime now) {
    if (kept_ > 0) take(db, now);
  }

  bool is_kept() const { return kept_ > 0; }

  // Returns the state at a time; null: the current one. The database must stay open while it is used.
  State at(DateTime time) const;

  // Call before the database is closed.
  void clear();

 private:
  struct Past {
    DateTime until;  // the first write after the state
    State state;
  };

  void take(rocksdb::DB& db, DateTime now);

  mutable std::mutex mutex_;
  std::atomic<std::int64_t> kept_ = 0;
  std::deque<Past> states_;  // in the order of time
};

}  // namespace rocktable
