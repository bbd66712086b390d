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

#include "storage/request_stats.h"

namespace rocktable {

// What a request is counted under.
struct StatisticsKey {
  std::string account;
  std::string table;            // lower case; empty for operations that address none
  std::string_view operation;   // names of constants: they outlive everything
  std::string_view plan_class;  // empty where nothing is read by key

  auto operator<=>(const StatisticsKey&) const = default;
};

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
class Statistics {
 public:
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

// Brings what a request at work has read into the statistics while it reads, so that a long scan shows.
class LiveCount {
 public:
  LiveCount(Statistics& statistics, StatisticsKey key) : statistics_(statistics), key_(std::move(key)) {}

  // Adds what was read since the last call; every five milliseconds at most.
  void update(const RequestStats& stats, std::chrono::steady_clock::time_point now);

  // The same, and what is known at the end alone.
  void finish(const RequestStats& stats, int status, bool continues, std::size_t bytes_sent);

 private:
  Counters read_since_update(const RequestStats& stats);

  Statistics& statistics_;
  StatisticsKey key_;
  RequestStats told_;
  std::chrono::steady_clock::time_point told_at_;
};

}  // namespace rocktable
