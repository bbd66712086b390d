// Measured durations, and their text form.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace rocktable {

struct Samples {
  std::vector<double> microseconds;

  // 0 < share < 1: 0.5 is the median.
  double quantile(double share) const {
    std::vector<double> sorted = microseconds;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size()));
    std::ranges::nth_element(sorted, at);
    return *at;
  }
  double median() const { return quantile(0.5); }
};

inline double median_of(std::vector<double> values) { return Samples{std::move(values)}.median(); }

inline std::string duration_text(double microseconds) {
  char text[32];
  if (microseconds < 1'000) std::snprintf(text, sizeof text, "%.1f us", microseconds);
  if (microseconds >= 1'000) std::snprintf(text, sizeof text, "%.2f ms", microseconds / 1'000);
  if (microseconds >= 1'000'000) std::snprintf(text, sizeof text, "%.2f s", microseconds / 1'000'000);
  return text;
}

}  // namespace rocktable
