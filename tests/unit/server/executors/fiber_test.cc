#include "server/executors/fiber.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("a fiber runs from one suspension to the next") {
  std::vector<int> steps;
  Fiber fiber([&] {
    steps.push_back(1);
    Fiber::current()->suspend();
    steps.push_back(3);
  });
  CHECK(steps.empty());
  fiber.resume();
  CHECK_FALSE(fiber.is_over());
  CHECK(Fiber::current() == nullptr);
  steps.push_back(2);
  fiber.resume();
  CHECK(fiber.is_over());
  CHECK(steps == std::vector{1, 2, 3});
}

TEST_CASE("what a fiber throws comes out of resume()") {
  Fiber fiber([] {
    Fiber::current()->suspend();
    throw std::runtime_error("late");
  });
  fiber.resume();
  CHECK_THROWS_WITH_AS(fiber.resume(), "late", std::runtime_error);
  CHECK(fiber.is_over());
}

TEST_CASE("fibers throw and catch between their suspensions, each its own exceptions") {
  constexpr int kFibers = 8;
  std::vector<std::string> caught;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int i = 0; i < kFibers; ++i) {
    fibers.push_back(std::make_unique<Fiber>([&caught, i] {
      for (int round = 0; round < 2; ++round) {
        try {
          throw std::runtime_error(std::to_string(i));
        } catch (const std::runtime_error& own) {
          caught.emplace_back(own.what());
        }
        Fiber::current()->suspend();
      }
    }));
  }
  for (int round = 0; round < 3; ++round) {
    caught.clear();
    for (const auto& fiber : fibers) fiber->resume();
    if (round < 2) CHECK(caught == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"});
  }
  CHECK(fibers.front()->is_over());
}

TEST_CASE("each fiber has a stack of its own") {
  for (int round = 0; round < 100; ++round) {
    std::vector<std::unique_ptr<Fiber>> fibers;
    int sum = 0;
    for (int i = 0; i < 50; ++i) {
      fibers.push_back(std::make_unique<Fiber>([&sum, i] {
        std::string own(1000, static_cast<char>('a' + i % 26));
        Fiber::current()->suspend();
        if (own == std::string(1000, static_cast<char>('a' + i % 26))) sum += i;
      }));
      fibers.back()->resume();
    }
    for (const auto& fiber : fibers) fiber->resume();
    REQUIRE(sum == 50 * 49 / 2);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
