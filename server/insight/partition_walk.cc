#include "server/insight/partition_walk.h"

#include "base/text.h"
#include "server/insight/query_shape.h"

namespace rocktable {

void PartitionWalk::add(const Read& read) {
  if (partitions_ > 0) {
    const auto order = compare_utf16(read.partition_key, last_);
    if (order == 0) return;
    const int direction = order > 0 ? 1 : -1;
    if (partitions_ == 1) direction_ = direction;
    if (direction != direction_) finish();  // another walk may begin here
  }
  ++partitions_;
  last_ = read.partition_key;
  if (partitions_ != kMinPartitions) return;
  example_ = example_of(read.method, read.target);
  client_ = read.client;
}

void PartitionWalk::finish() {
  if (partitions_ >= kMinPartitions) totals_.add({partitions_, last_, example_, client_});
  partitions_ = 0;
  direction_ = 0;
}

Evidence PartitionWalk::walks() const {
  PartitionWalk copy = *this;
  copy.finish();
  return copy.totals_.total();
}

}  // namespace rocktable
