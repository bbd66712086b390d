#include "server/events/statistics.h"

#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

constexpr std::size_t kMaxCountedKeys = 10'000;
constexpr std::chrono::milliseconds kUpdateInterval{5};

void add_to(Counters& sum, const Counters& more) {
  sum.requests += more.requests;
  sum.continuations += more.continuations;
  sum.errors += more.errors;
  sum.ranges += more.ranges;
  sum.entities_scanned += more.entities_scanned;
  sum.entities_returned += more.entities_returned;
  sum.bytes_read += more.bytes_read;
  sum.bytes_sent += more.bytes_sent;
  sum.storage_time += more.storage_time;
}

Counters difference(const RequestStats& reads, const RequestStats& counted) {
  Counters out;
  out.ranges = reads.ranges - counted.ranges;
  out.entities_scanned = reads.entities_scanned - counted.entities_scanned;
  out.entities_returned = reads.entities_returned - counted.entities_returned;
  out.bytes_read = reads.bytes_read - counted.bytes_read;
  out.storage_time = reads.storage_time - counted.storage_time;
  return out;
}

nlohmann::json counters_json(const StatisticsKey& key, const Counters& counters) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  return {{"account", key.account},
          {"table", key.table},
          {"operation", key.operation},
          {"plan", key.plan_class},
          {"requests", counters.requests},
          {"continuations", counters.continuations},
          {"errors", counters.errors},
          {"ranges", counters.ranges},
          {"entitiesScanned", counters.entities_scanned},
          {"entitiesReturned", counters.entities_returned},
          {"bytesRead", counters.bytes_read},
          {"bytesSent", counters.bytes_sent},
          {"storageMicroseconds", Microseconds(counters.storage_time).count()}};
}

}  // namespace

// Returns whether the key is known, or fits into the limit of kMaxCountedKeys. Called once per shard and key.
bool Statistics::may_count(const StatisticsKey& key) {
  const std::lock_guard lock(known_mutex_);
  if (known_.size() < kMaxCountedKeys) known_.insert(key);
  return known_.contains(key);
}

void Statistics::add(const StatisticsKey& key, const Counters& counters) {
  Shard& shard = shards_.of_this_thread();
  const std::lock_guard lock(shard.mutex);
  if (shard.last != nullptr && shard.last->first == key) return add_to(shard.last->second, counters);
  const auto found = shard.counters.find(key);
  if (found != shard.counters.end()) {
    add_to(found->second, counters);
    shard.last = &*found;
  } else if (may_count(key)) {
    shard.counters.emplace(key, counters);
  } else {
    add_to(shard.counters[{"*", "*", key.operation, key.plan_class}], counters);
  }
}

nlohmann::json Statistics::to_json() const {
  CountersByKey sums;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [key, counters] : shard.counters) add_to(sums[key], counters);
  }
  auto rows = nlohmann::json::array();
  for (const auto& [key, counters] : sums) rows.push_back(counters_json(key, counters));
  return {{"counters", std::move(rows)}};
}

void Statistics::record(const RequestEvent& event) {
  if (event.key == nullptr) return;
  Counters counters = difference(event.reads, event.counted_reads);
  counters.requests = 1;
  counters.continuations = event.continues ? 1 : 0;
  counters.errors = event.status >= 400 ? 1 : 0;
  counters.bytes_sent = event.body_bytes;
  add(*event.key, counters);
}

void RunningScanCounter::update(const RequestStats& reads, std::chrono::steady_clock::time_point now) {
  if (now - updated_at_ < kUpdateInterval) return;
  updated_at_ = now;
  statistics_.add(key_, difference(reads, counted_));
  counted_.ranges = reads.ranges;
  counted_.entities_scanned = reads.entities_scanned;
  counted_.entities_returned = reads.entities_returned;
  counted_.bytes_read = reads.bytes_read;
  counted_.storage_time = reads.storage_time;
}

}  // namespace rocktable
