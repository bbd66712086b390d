// Counts the cost of requests since the start, per table, operation and plan class.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/threads/mutex.h"
#include "server/events/request_event.h"
#include "server/events/thread_shards.h"
#include "storage/request_stats.h"

namespace rocktable {

struct Counters {
  std::uint64_t requests = 0;       // one per page
  std::uint64_t continuations = 0;  // responses with a continuation token
  std::uint64_t errors = 0;         // responses with status 400 and above
  std::uint64_t ranges = 0;
  std::uint64_t entities_scanned = 0;
  std::uint64_t entities_returned = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_sent = 0;  // response bodies
  std::chrono::nanoseconds storage_time{};
};

// Thread-safe. Threads count in separate shards; to_json() adds them up.
class Statistics : public RequestEventSink {
 public:
  // Counts the request under its key, and the reads that RunningScanCounter has not counted yet.
  void record(const RequestEvent& event) override;

  // Adds to the counters of a key. After ten thousand keys, further keys are counted under account and table
  // `*`, still by operation and plan class.
  void add(const StatisticsKey& key, const Counters& counters);

  // {"counters": [{"account", "table", "operation", "plan", "requests", ...}]}, sorted by key.
  nlohmann::json to_json() const;

 private:
  using CountersByKey = std::map<StatisticsKey, Counters>;

  struct alignas(64) Shard {  // avoids false sharing of a cache line
    mutable Mutex mutex;
    CountersByKey counters;
    // Those that were added to last: requests are often alike.
    CountersByKey::value_type* last = nullptr;
  };

  bool may_count(const StatisticsKey& key);

  ThreadShards<Shard, 64> shards_;
  Mutex known_mutex_;
  std::set<StatisticsKey> known_;  // the keys of all shards
};

// Adds the cost of a running scan to the statistics, so that a long scan shows.
class RunningScanCounter {
 public:
  // `counted`: the cost counted so far, which take() must not count again. All arguments must outlive this
  // object.
  RunningScanCounter(Statistics& statistics, const StatisticsKey& key, RequestStats& counted)
      : statistics_(statistics), key_(key), counted_(counted) {}

  // Adds the cost since the last update. Does nothing within five milliseconds of it.
  void update(const RequestStats& reads, std::chrono::steady_clock::time_point now);

 private:
  Statistics& statistics_;
  const StatisticsKey& key_;
  RequestStats& counted_;
  std::chrono::steady_clock::time_point updated_at_;
};

}  // namespace rocktable
