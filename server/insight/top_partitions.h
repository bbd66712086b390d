// Finds a partition that takes most of the requests of a table, in bounded memory.
// Source: Metwally et al., Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"

namespace rocktable {

class TopPartitions {
 public:
  // One second of a partition's target. Source: learn.microsoft.com/azure/storage/tables/scalability-targets
  static constexpr std::uint64_t kMinRequests = 2'000;
  static constexpr double kMinShare = 0.8;

  // Looks at every seventh request.
  void add(std::uint64_t partition, std::string_view partition_key) {
    if (requests_++ % kStep == 0) count(partition, partition_key);
  }

  // The partition with at least kMinShare of at least kMinRequests. `count` is of its requests, about.
  std::optional<Evidence> hot() const;

 private:
  static constexpr std::uint64_t kStep = 7;

  struct Counter {
    std::uint64_t partition = 0, count = 0, excess = 0;  // `excess` of the count may belong to others
    std::string partition_key;
  };

  void count(std::uint64_t partition, std::string_view partition_key);

  std::array<Counter, 8> counters_;
  std::uint64_t requests_ = 0;
};

}  // namespace rocktable
