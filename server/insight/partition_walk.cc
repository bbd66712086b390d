#include "server/insight/partition_walk.h"

#include "base/text.h"
#include "server/events/masking.h"

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
  example_ = std::string(read.method).append(" ").append(without_signature(read.target.substr(0, 500)));
  client_ = read.client;
}

void PartitionWalk::finish() {
  if (partitions_ >= kMinPartitions) {
    total_.count += partitions_;
    if (partitions_ > longest_) {
      longest_ = partitions_;
      total_.subject = last_;
      total_.example = example_;
      total_.client = client_;
    }
  }
  partitions_ = 0;
  direction_ = 0;
}

Evidence PartitionWalk::walks() const {
  PartitionWalk copy = *this;
  copy.finish();
  return copy.total_;
}

}  // namespace rocktable
