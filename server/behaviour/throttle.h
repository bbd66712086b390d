// Token buckets that refuse requests to a partition or an account which exceed a rate.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "odata/date_time.h"
#include "server/behaviour/behaviour.h"

namespace rocktable {

// A bucket holds the entities of one second at most, so an idle partition accepts a burst. A request is accepted if there
// is anything in its buckets, and its whole cost is taken: a scan may leave a debt, which must be paid off first.
// Thread-safe. Buckets of the last second are kept; others are full, and are forgotten.
class Throttle {
 public:
  // An account and, if the request reads or writes one partition, the partition.
  struct Scope {
    std::string_view account;
    std::string partition;  // unique among all partitions of all accounts; empty: none
  };

  // Takes the cost of a request from its buckets. Returns whether the request is accepted; otherwise nothing is taken.
  bool admit(const Scope& scope, const ThrottleRates& rates, double entities, DateTime now);

  // Takes more, after a scan that read `entities` more than it was admitted for.
  void charge(const Scope& scope, const ThrottleRates& rates, double entities, DateTime now);

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

  mutable std::mutex mutex_;
  Buckets partitions_, accounts_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace rocktable
