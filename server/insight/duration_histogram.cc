#include "server/insight/duration_histogram.h"

#include <cmath>
#include <numeric>

namespace rocktable {

// In microseconds.
double DurationHistogram::middle_of(std::size_t bucket) {
  if (bucket < kParts) return static_cast<double>(bucket);
  const auto power = static_cast<int>(bucket / kParts - 1);
  const double begin = std::ldexp(static_cast<double>(bucket % kParts + kParts), power);
  return begin + std::ldexp(0.5, power) - 0.5;
}

DurationHistogram::Duration DurationHistogram::quantile(double part) const {
  const auto total = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  const auto wanted = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(total)));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i];
    if (sum >= wanted && sum > 0) return std::min(Duration(std::llround(middle_of(i))), max_);
  }
  return {};
}

}  // namespace rocktable
