// Counts durations in buckets that grow with them: quantiles within 12 %, in 400 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace rocktable {

class DurationHistogram {
 public:
  using Duration = std::chrono::microseconds;

  void add(Duration duration) {
    ++counts_[bucket_of(duration)];
    max_ = std::max(max_, duration);
  }

  void add(const DurationHistogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    max_ = std::max(max_, other.max_);
  }

  // Adds counts of the same buckets.
  template <class Counts>
  void add_counts(const Counts& counts) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint32_t count = counts[i];
      counts_[i] += count;
      if (count > 0) max_ = std::max(max_, Duration(static_cast<Duration::rep>(middle_of(i)) + 1));
    }
  }

  Duration max() const { return max_; }

  // The duration that this part (0 to 1) of the requests does not exceed, about. Zero without requests.
  Duration quantile(double part) const;

  // Each power of two has four buckets; the last one begins at two minutes.
  static constexpr std::uint64_t kParts = 4;
  static constexpr std::size_t kBuckets = 26 * kParts;

  static std::size_t bucket_of(Duration duration) {
    const auto ticks = static_cast<std::uint64_t>(std::max<Duration::rep>(duration.count(), 0));
    if (ticks < kParts) return ticks;
    const auto power = static_cast<std::size_t>(std::bit_width(ticks)) - 3;  // ticks >> power is 4 to 7
    return std::min(power * kParts + (ticks >> power), kBuckets - 1);
  }

 private:
  static double middle_of(std::size_t bucket);

  std::array<std::uint32_t, kBuckets> counts_{};
  Duration max_{};
};

}  // namespace rocktable
