#include "server/insight/key_order.h"

#include <algorithm>

#include "base/text.h"

namespace rocktable {

void KeyOrder::add(std::string_view partition_key) {
  if (!has_any_) {
    least_ = greatest_ = partition_key;
    has_any_ = true;
  } else if (partition_key == greatest_ || partition_key == least_) {
    // Another row of a partition at an end.
  } else if (compare_utf16(partition_key, greatest_) > 0) {
    ++higher_;
    greatest_ = partition_key;
  } else if (compare_utf16(partition_key, least_) < 0) {
    ++lower_;
    least_ = partition_key;
  } else {
    ++between_;
  }
}

std::optional<Evidence> KeyOrder::one_sided() const {
  const std::uint64_t larger = std::max(lower_, higher_);
  const double all = static_cast<double>(lower_ + higher_ + between_);
  if (larger < kMinPartitions || static_cast<double>(larger) < kMinShare * all) return std::nullopt;
  return Evidence{larger, larger == higher_ ? greatest_ : least_, {}, {}};
}

}  // namespace rocktable
