// What requests of the last minutes cost.
#include "server/insight/recent_minutes.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

constexpr std::int64_t kSecond = 10'000'000;
const DateTime kNoon = parse_date_time("2026-01-31T12:00:00Z").value();

DateTime at(std::int64_t second) { return {kNoon.ticks + second * kSecond}; }

TEST_CASE("requests are summed up in steps of ten seconds") {
  RecentMinutes minutes;
  minutes.add(at(0), std::chrono::milliseconds(1), 5);
  minutes.add(at(9), std::chrono::milliseconds(100), 5);
  minutes.add(at(10), std::chrono::milliseconds(2), 1);
  const auto steps = minutes.to_json(at(15));
  REQUIRE(steps.size() == RecentMinutes::kSteps);
  const auto &last = steps.back(), &before = steps[RecentMinutes::kSteps - 2];
  CHECK(last.at("time") == "2026-01-31T12:00:10Z");
  CHECK(last.at("requests") == 1);
  CHECK(before.at("requests") == 2);
  CHECK(before.at("entitiesScanned") == 10);
  CHECK(before.at("milliseconds").at("p99").get<double>() == doctest::Approx(100).epsilon(0.13));
  CHECK(steps.front().at("requests") == 0);
}

TEST_CASE("a step ends after a quarter of an hour") {
  RecentMinutes minutes;
  minutes.add(at(0), std::chrono::milliseconds(1), 5);
  minutes.add(at(900), std::chrono::milliseconds(1), 1);
  const auto steps = minutes.to_json(at(900));
  CHECK(steps.back().at("requests") == 1);
  CHECK(steps.back().at("entitiesScanned") == 1);
  CHECK(steps.front().at("requests") == 0);
  minutes.clear();
  CHECK(minutes.to_json(at(900)).back().at("requests") == 0);
}

TEST_CASE("no request is lost when many threads begin a step") {
  RecentMinutes minutes;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < 1'000; ++i) minutes.add(at(i / 100 * 10), std::chrono::milliseconds(1), 1);
      });
  }
  std::uint64_t requests = 0;
  for (const auto& step : minutes.to_json(at(100))) requests += step.at("requests").get<std::uint64_t>();
  CHECK(requests == 8'000);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
