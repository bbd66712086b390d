// What requests cost, counted since the start: per table, operation and class of plan.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "server/events/request_event.h"
#include "storage/request_stats.h"

namespace rocktable {

struct Counters {
  std::uint64_t requests = 0;       // each answers one page
  std::uint64_t continuations = 0;  // answers that told where to go on
  std::uint64_t errors = 0;         // answers of 400 and above
  std::uint64_t ranges = 0;
  std::uint64_t entities_scanned = 0;
  std::uint64_t entities_returned = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_sent = 0;  // bodies of answers
  std::chrono::nanoseconds storage_time{};
};

// Thread-safe. Threads count apart from each other, and are added up when somebody asks.
class Statistics : public RequestEventSink {
 public:
  // Counts the request under its key, and of its reads those that LiveCount has not counted.
  void take(const RequestEvent& event) override;

  // Adds to the counters of a key. Beyond ten thousand keys what is new is counted under account and table
  // `*`, still by operation and class.
  void add(const StatisticsKey& key, const Counters& counters);

  // {"counters": [{"account", "table", "operation", "plan", "requests", ...}]}, sorted by key.
  nlohmann::json to_json() const;

 private:
  using CountersByKey = std::map<StatisticsKey, Counters>;

  struct alignas(64) Shard {  // a cache line is nobody else's
    mutable std::mutex mutex;
    CountersByKey counters;
  };

  Shard& shard_of_this_thread();
  bool may_count(const StatisticsKey& key);

  std::array<Shard, 4> shards_;
  std::mutex known_mutex_;
  std::set<StatisticsKey> known_;  // the keys of all shards
};

// Counts what a scan has read while it still reads, so that a long scan shows.
class LiveCount {
 public:
  // `counted` is what take() must not count again. The three must outlive this.
  LiveCount(Statistics& statistics, const StatisticsKey& key, RequestStats& counted)
      : statistics_(statistics), key_(key), counted_(counted) {}

  // Adds what was read since the last call, every five milliseconds at most.
  void update(const RequestStats& reads, std::chrono::steady_clock::time_point now);

 private:
  Statistics& statistics_;
  const StatisticsKey& key_;
  RequestStats& counted_;
  std::chrono::steady_clock::time_point updated_at_;
};

}  // namespace rocktable
