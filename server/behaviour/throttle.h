// Token buckets that refuse requests to a partition or an account which exceed a rate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/date_time.h"
#include "base/threads/mutex.h"
#include "server/behaviour/behaviour.h"

namespace rocktable {

// The bucket of an account counts transactions: every request costs one. That of a partition counts entities. A bucket
// holds those of one second at most, so an idle partition accepts a burst. A request is accepted if there is anything
// in its buckets, and its whole cost is taken: a change set may leave a debt, which must be paid off first. Source:
// https://learn.microsoft.com/azure/storage/tables/scalability-targets Thread-safe. Buckets of the last second are
// kept; others are full, and are forgotten.
class Throttle {
 public:
  // An account and, if the request reads or writes one partition, the partition.
  struct Scope {
    std::string_view account;
    std::string partition;  // unique among all partitions of all accounts; empty: none
  };

  // Takes a request that touches `entities` from its buckets. Returns whether it is accepted; otherwise nothing is
  // taken.
  bool admit(const Scope& scope, const ThrottleRates& rates, double entities, DateTime now);

  // Takes more from the partition, after a scan that read `entities` more than it was admitted for. The debt of scans
  // is at most the entities of one second: the service paces a scan while it reads, and keeps nobody away for long
  // after it.
  void charge_scan(const Scope& scope, const ThrottleRates& rates, double entities, DateTime now);

  void clear();

  // The number of partitions with a bucket.
  std::size_t partitions() const;

 private:
  struct Bucket {
    double level;
    DateTime at;
  };
  using Buckets = std::unordered_map<std::string, Bucket>;

  static Bucket& filled(Buckets& buckets, std::string_view name, double rate, DateTime now);
  void forget_full_ones(double rate, DateTime now);

  mutable Mutex mutex_;
  Buckets partitions_, accounts_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace rocktable
