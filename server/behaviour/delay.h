// A delay: fixed, or drawn from a lognormal distribution, as the response times of services are.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "server/behaviour/seeded_random.h"

namespace rocktable {

inline constexpr double kMaxDelayMilliseconds = 600'000;

struct Delay {
  double median = 0;  // milliseconds
  double sigma = 0;   // of the logarithm; 0: every delay is the median

  bool is_none() const { return median <= 0; }
  bool operator==(const Delay&) const = default;

  std::chrono::microseconds draw(SeededRandom& random) const {
    const double factor = sigma > 0 ? std::exp(sigma * random.normal()) : 1;
    return std::chrono::microseconds(std::llround(1000 * std::min(median * factor, kMaxDelayMilliseconds)));
  }
};

}  // namespace rocktable
