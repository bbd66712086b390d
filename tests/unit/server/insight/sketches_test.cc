// What is counted in bounded memory: durations, distinct partitions.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "server/insight/distinct_count.h"
#include "server/insight/duration_histogram.h"

namespace rocktable::TEST_FILE {

using namespace std::chrono_literals;

TEST_CASE("quantiles of durations are within an eighth") {
  DurationHistogram durations;
  CHECK(durations.quantile(0.5) == 0us);
  for (int i = 1; i <= 1000; ++i) durations.add(std::chrono::microseconds(i * 10));
  CHECK(durations.max() == 10ms);
  for (const double part : {0.1, 0.5, 0.9, 0.99}) {
    CAPTURE(part);
    const double exact = part * 10'000;
    CHECK(static_cast<double>(durations.quantile(part).count()) == doctest::Approx(exact).epsilon(0.125));
  }
}

TEST_CASE("a quantile is never above the longest duration") {
  DurationHistogram durations;
  durations.add(9us);
  CHECK(durations.quantile(0.99) == 9us);
  durations.add(std::chrono::hours(1));
  CHECK(durations.quantile(1) <= durations.max());
}

TEST_CASE("histograms add up") {
  DurationHistogram one, other;
  one.add(1us);
  other.add(1s);
  one.add(other);
  CHECK(one.max() == 1s);
  CHECK(one.quantile(0.5) == 1us);
}

TEST_CASE("few distinct values are counted exactly") {
  DistinctCount count;
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t i = 1; i <= 64; ++i) count.add(i * 0x9e3779b97f4a7c15);
  CHECK(count.is_exact());
  CHECK(count.estimate() == 64);
}

TEST_CASE("many distinct values are estimated") {
  std::mt19937_64 random(1);
  DistinctCount one, other;
  for (int i = 0; i < 5'000; ++i) {
    one.add(random());
    other.add(random());
  }
  CHECK_FALSE(one.is_exact());
  CHECK(static_cast<double>(one.estimate()) == doctest::Approx(5'000).epsilon(0.4));
  one.add(other);
  CHECK(static_cast<double>(one.estimate()) == doctest::Approx(10'000).epsilon(0.4));
}

}  // namespace rocktable::TEST_FILE
