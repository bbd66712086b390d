// The records of the last requests, in a bounded number of bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/threads/mutex.h"
#include "server/events/short_lock.h"
#include "server/events/thread_shards.h"
#include "server/monitor/request_record.h"

namespace rocktable {

// Thread-safe. Each thread fills a segment of its own; full ones are in one list, from which the oldest are dropped
// when there are too many bytes. So what is kept are always the last requests without a gap, whichever thread had them.
// Memory is taken with the first requests, a segment at a time.
class RequestRing {
 public:
  static constexpr std::size_t kSegmentBytes = 64 << 10;
  static constexpr std::size_t kThreads = 16;  // with more, some share a segment
  static constexpr std::size_t kLeastBytes = 1 << 20;

  // `bytes`: at least kLeastBytes.
  explicit RequestRing(std::size_t bytes) : max_segments_(bytes / kSegmentBytes) {}

  // Keeps the request under the next number, which it returns. `with_bodies`: also the beginnings of its bodies.
  std::uint64_t add(const RequestEvent& event, bool with_bodies);

  // The number of the next request.
  std::uint64_t next() const { return next_.load(std::memory_order_relaxed); }

  struct Segment {
    std::unique_ptr<char[]> bytes;
    std::size_t used = 0;  // what is below it never changes
    std::uint64_t last = 0;
  };

  // Records in the order of their numbers, valid while this lives.
  struct Kept {
    std::uint64_t oldest;  // the number of the oldest request that is kept, whatever was asked for
    std::uint64_t next;
    std::vector<const RequestRecord*> records;
    std::vector<std::shared_ptr<const Segment>> segments;
  };

  // The requests from number `first` on.
  Kept since(std::uint64_t first) const;

  // Drops all of them.
  void clear();

 private:
  struct alignas(64) Shard {
    mutable ShortLock lock;         // others take it to copy a pointer
    std::shared_ptr<Segment> open;  // null: none yet
  };

  void open_next(Shard& shard);

  const std::size_t max_segments_;
  std::atomic<std::uint64_t> next_ = 1;
  ThreadShards<Shard, kThreads> shards_;

  mutable Mutex full_mutex_;  // taken after that of a shard
  std::deque<std::shared_ptr<const Segment>> full_;
  std::size_t segments_ = 0;   // full and open ones
  std::uint64_t dropped_ = 0;  // the highest number of a dropped request
};

}  // namespace rocktable
