#include "server/http/fiber.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rocktable {
namespace {

// Suspends its fiber while it is destroyed.
class SuspendsAtEnd {
 public:
  SuspendsAtEnd() = default;
  ~SuspendsAtEnd() { Fiber::current()->suspend(); }
  SuspendsAtEnd(const SuspendsAtEnd&) = delete;
  SuspendsAtEnd& operator=(const SuspendsAtEnd&) = delete;
};

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

TEST_CASE("fibers that suspend themselves while they handle exceptions keep their own") {
  constexpr int kFibers = 8;
  std::vector<std::string> caught;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int i = 0; i < kFibers; ++i) {
    fibers.push_back(std::make_unique<Fiber>([&caught, i] {
      try {
        const SuspendsAtEnd during_unwinding;
        throw std::runtime_error(std::to_string(i));
      } catch (const std::runtime_error&) {
        Fiber::current()->suspend();
        try {
          throw;  // the one that is handled
        } catch (const std::runtime_error& again) {
          caught.emplace_back(again.what());
        }
      }
    }));
  }
  while (!fibers.front()->is_over()) {
    for (const auto& fiber : fibers) {
      fiber->resume();
      CHECK(std::uncaught_exceptions() == 0);
      CHECK(std::current_exception() == nullptr);
    }
  }
  CHECK(caught == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"});
}

TEST_CASE("stacks are used again, and there are as many as fibers at the same time") {
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
}  // namespace rocktable
