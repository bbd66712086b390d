// Memory that connections share: who gets a share, who has to wait, and that nothing stays behind.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "server/memory_budget.h"

namespace rocktable {
namespace {

TEST_CASE("Shares are granted until the budget is spent, and again once they are given back") {
  MemoryBudget budget(100);
  MemoryBudget::Share other(budget);
  MemoryBudget::Share share(budget);
  CHECK(other.take(60));
  CHECK(share.take(40));
  CHECK(budget.is_short());
  CHECK_FALSE(share.take(41));
  CHECK_FALSE(share.is_held());  // who waits for more holds nothing
  CHECK(budget.held() == 60);
  CHECK_FALSE(budget.is_short());
  other.give_back();
  CHECK(share.take(100));
}

TEST_CASE("The first share is granted whatever its size") {
  MemoryBudget budget(100);
  MemoryBudget::Share large(budget);
  MemoryBudget::Share small(budget);
  CHECK(large.take(1000));
  CHECK_FALSE(small.take(1));
  large.give_back();
  CHECK(small.take(1));
  CHECK_FALSE(large.take(1000));
}

TEST_CASE("Memory in use is charged, be it there or not, and a share goes back with its holder") {
  MemoryBudget budget(100);
  {
    MemoryBudget::Share share(budget);
    share.charge(150);
    share.charge(250);  // in place of the first
    CHECK(budget.held() == 250);
    CHECK(budget.is_short());
  }
  CHECK(budget.held() == 0);
}

TEST_CASE("Memory is short as long as somebody waits") {
  MemoryBudget budget(100);
  {
    const MemoryBudget::Wait wait(budget);
    CHECK(budget.is_short());
  }
  CHECK_FALSE(budget.is_short());
}

TEST_CASE("Threads that take and give back at once never hold more than there is, and leave nothing") {
  MemoryBudget budget(100);
  std::atomic<int> holders = 0;
  std::atomic<bool> too_many = false;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        MemoryBudget::Share share(budget);
        for (int round = 0; round < 20'000; ++round) {
          if (!share.take(40)) continue;
          if (++holders > 2) too_many = true;
          --holders;
          share.give_back();
        }
      });
    }
  }
  CHECK_FALSE(too_many);
  CHECK(budget.held() == 0);
}

}  // namespace
}  // namespace rocktable
