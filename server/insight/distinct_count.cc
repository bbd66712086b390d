#include "server/insight/distinct_count.h"

#include <algorithm>
#include <cmath>

namespace rocktable {

void DistinctCount::insert(std::uint64_t hash) {
  const auto place = std::lower_bound(smallest_.begin(), smallest_.end(), hash);
  if (place != smallest_.end() && *place == hash) return;
  if (smallest_.size() < kExact) {
    smallest_.insert(place, hash);
    return;
  }
  std::move_backward(place, smallest_.end() - 1, smallest_.end());
  *place = hash;
  is_exact_ = false;
}

void DistinctCount::add(const DistinctCount& other) {
  for (const auto hash : other.smallest_) add(hash);
  is_exact_ = is_exact_ && other.is_exact_;
}

std::uint64_t DistinctCount::estimate() const {
  if (is_exact_) return smallest_.size();
  const double part = std::ldexp(static_cast<double>(smallest_.back()), -64);  // of all hashes, below the largest kept
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(smallest_.size() - 1) / part));
}

}  // namespace rocktable
