#include "server/behaviour/throttle.h"

#include <algorithm>

namespace rocktable {

Throttle::Bucket& Throttle::filled(Buckets& buckets, std::string_view name, double rate, DateTime now) {
  const auto [place, is_new] = buckets.try_emplace(std::string(name), Bucket{rate, now});
  Bucket& bucket = place->second;
  const auto elapsed = std::max<std::int64_t>(now.ticks - bucket.at.ticks, 0);  // a clock may be set back
  bucket.level = std::min(rate, bucket.level + rate * static_cast<double>(elapsed) / kTicksPerSecond);
  bucket.at = now;
  return bucket;
}

bool Throttle::admit(const Scope& scope, const ThrottleRates& rates, double entities, DateTime now) {
  const std::lock_guard lock(mutex_);
  forget_full_ones(rates.per_partition, now);
  Bucket& account = filled(accounts_, scope.account, rates.per_account, now);
  Bucket* const partition =
      scope.partition.empty() ? nullptr : &filled(partitions_, scope.partition, rates.per_partition, now);
  // A rate below one entity a second fills its bucket to less than one.
  if (account.level < std::min(1.0, rates.per_account)) return false;
  if (partition != nullptr && partition->level < std::min(1.0, rates.per_partition)) return false;
  account.level -= 1;
  if (partition != nullptr) partition->level -= entities;
  return true;
}

void Throttle::charge_scan(const Scope& scope, const ThrottleRates& rates, double entities, DateTime now) {
  if (scope.partition.empty()) return;
  const std::lock_guard lock(mutex_);
  Bucket& bucket = filled(partitions_, scope.partition, rates.per_partition, now);
  bucket.level = std::min(bucket.level, std::max(bucket.level - entities, -rates.per_partition));
}

void Throttle::clear() {
  const std::lock_guard lock(mutex_);
  partitions_.clear();
  accounts_.clear();
}

std::size_t Throttle::partitions() const {
  const std::lock_guard lock(mutex_);
  return partitions_.size();
}

// Keeps the memory proportional to the partitions of the last second.
void Throttle::forget_full_ones(double rate, DateTime now) {
  if (partitions_.size() < sweep_at_) return;
  std::erase_if(partitions_, [&](const auto& entry) {
    const auto& [level, at] = entry.second;
    return level + rate * static_cast<double>(now.ticks - at.ticks) / kTicksPerSecond >= rate;
  });
  sweep_at_ = std::max<std::size_t>(1024, 2 * partitions_.size());
}

}  // namespace rocktable
