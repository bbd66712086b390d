#include "server/statistics.h"

#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

constexpr std::size_t kMaxKeys = 10'000;
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

nlohmann::json to_json(const StatisticsKey& key, const Counters& counters) {
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

void Statistics::add(const StatisticsKey& key, const Counters& counters) {
  const std::lock_guard lock(mutex_);
  const auto found = counters_.find(key);
  if (found != counters_.end()) {
    add_to(found->second, counters);
  } else if (counters_.size() < kMaxKeys) {
    counters_.emplace(key, counters);
  } else {
    add_to(counters_[{"*", "*", key.operation, key.plan_class}], counters);
  }
}

nlohmann::json Statistics::to_json() const {
  auto rows = nlohmann::json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& [key, counters] : counters_) rows.push_back(rocktable::to_json(key, counters));
  return {{"counters", std::move(rows)}};
}

Counters LiveCount::read_since_update(const RequestStats& stats) {
  Counters out;
  out.ranges = stats.ranges - told_.ranges;
  out.entities_scanned = stats.entities_scanned - told_.entities_scanned;
  out.entities_returned = stats.entities_returned - told_.entities_returned;
  out.bytes_read = stats.bytes_read - told_.bytes_read;
  out.storage_time = stats.storage_time - told_.storage_time;
  told_.ranges = stats.ranges;
  told_.entities_scanned = stats.entities_scanned;
  told_.entities_returned = stats.entities_returned;
  told_.bytes_read = stats.bytes_read;
  told_.storage_time = stats.storage_time;
  return out;
}

void LiveCount::update(const RequestStats& stats, std::chrono::steady_clock::time_point now) {
  if (now - told_at_ < kUpdateInterval) return;
  told_at_ = now;
  statistics_.add(key_, read_since_update(stats));
}

void LiveCount::finish(const RequestStats& stats, int status, bool continues, std::size_t bytes_sent) {
  Counters counters = read_since_update(stats);
  counters.requests = 1;
  counters.continuations = continues ? 1 : 0;
  counters.errors = status >= 400 ? 1 : 0;
  counters.bytes_sent = bytes_sent;
  statistics_.add(key_, counters);
}

}  // namespace rocktable
