// Finds tables in which each new partition is the last one, or the first one: all writes go to one end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"

namespace rocktable {

class KeyOrder {
 public:
  static constexpr std::uint64_t kMinPartitions = 50;
  static constexpr double kMinShare = 0.95;

  // The PartitionKey of an inserted entity.
  void add(std::string_view partition_key);

  // `count` is of the partitions at the end; the subject is the last one of them.
  std::optional<Evidence> one_sided() const;

 private:
  std::string least_, greatest_;
  bool has_any_ = false;
  std::uint64_t lower_ = 0, higher_ = 0, between_ = 0;
};

}  // namespace rocktable
