// Finds point reads that go through the partitions of a table one by one, in the order of their keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"
#include "server/insight/run_totals.h"

namespace rocktable {

class PartitionWalk {
 public:
  static constexpr std::uint32_t kMinPartitions = 20;

  struct Read {
    std::string_view partition_key, method, target, client;
  };

  // The next point read of the table, of an entity by its keys. Another one of the same partition changes nothing.
  void add(const Read& read);
  // Anything but a point read.
  void interrupt() { finish(); }

  // Walks of kMinPartitions and more; `count` is of the reads, the subject is the partition where the longest ended.
  Evidence walks() const;

 private:
  void finish();

  std::string last_;
  int direction_ = 0;             // of the walk: 1 upwards, -1 downwards, 0 not yet known
  std::uint32_t partitions_ = 0;  // of the current walk
  std::string example_, client_;  // of the current walk, once it is long enough
  RunTotals totals_;
};

}  // namespace rocktable
