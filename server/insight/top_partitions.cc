#include "server/insight/top_partitions.h"

#include <algorithm>

namespace rocktable {

void TopPartitions::count(std::uint64_t partition, std::string_view partition_key) {
  Counter* least = counters_.data();
  for (Counter& counter : counters_) {
    if (counter.partition == partition && counter.count > 0) {
      ++counter.count;
      return;
    }
    if (counter.count < least->count) least = &counter;
  }
  least->partition = partition;
  least->excess = least->count;
  ++least->count;
  least->partition_key = partition_key;
}

std::optional<Evidence> TopPartitions::hot() const {
  const auto& top = *std::max_element(counters_.begin(), counters_.end(),
                                      [](const Counter& a, const Counter& b) { return a.count < b.count; });
  const std::uint64_t sure = std::min((top.count - top.excess) * kStep, requests_);
  if (requests_ < kMinRequests || static_cast<double>(sure) < kMinShare * static_cast<double>(requests_))
    return std::nullopt;
  return Evidence{sure, top.partition_key, {}, {}};
}

}  // namespace rocktable
