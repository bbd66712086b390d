// MemoryBudget: which connections get a share, which wait, and that no bytes leak.
#include "server/limits/memory_budget.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("Shares are granted until the budget is spent, and again after they are released") {
  MemoryBudget budget(100);
  MemoryBudget::Share other(budget);
  MemoryBudget::Share share(budget);
  CHECK(other.take(60));
  CHECK_FALSE(budget.is_short());
  CHECK(share.take(40));
  CHECK(budget.is_short());
  CHECK_FALSE(share.take(41));
  CHECK_FALSE(share.is_held());  // a refused take() releases what was held
  CHECK(budget.held() == 60);
  other.release();
  CHECK(share.take(100));
}

TEST_CASE("Memory is short from a refusal until half of it is free") {
  MemoryBudget budget(100);
  MemoryBudget::Share other(budget), share(budget);
  CHECK(other.take(60));
  CHECK_FALSE(share.grow(50));
  CHECK(budget.is_short());
  other.charge(51);
  CHECK(budget.is_short());
  other.charge(50);
  CHECK_FALSE(budget.is_short());
}

TEST_CASE("A share grows if there is room, and otherwise keeps its bytes") {
  MemoryBudget budget(100);
  MemoryBudget::Share other(budget), share(budget);
  CHECK(other.take(50));
  CHECK(share.grow(20));
  CHECK(share.grow(50));
  CHECK_FALSE(share.grow(51));
  CHECK(share.bytes() == 50);
  other.release();
  CHECK(share.grow(1000));  // the only share
  CHECK(budget.held() == 1000);
}

TEST_CASE("Waiting connections get their shares in order of arrival, and none overtakes") {
  MemoryBudget budget(100);
  MemoryBudget::Share holder(budget), first(budget), second(budget), late(budget);
  std::string woken;
  CHECK(holder.take(100));
  MemoryBudget::Waiter large(first, 80, [&] { woken += "large "; });
  MemoryBudget::Waiter small(second, 30, [&] { woken += "small "; });
  CHECK_FALSE(large.take());
  holder.charge(50);
  CHECK(woken.empty());       // 30 would fit, but 80 came first
  CHECK_FALSE(late.take(1));  // a new request does not overtake either
  CHECK_FALSE(late.grow(1));
  holder.release();
  CHECK(woken == "large ");
  CHECK(large.take());
  CHECK(first.bytes() == 80);
  CHECK_FALSE(small.take());
  first.release();
  CHECK(woken == "large small ");
  CHECK(small.take());
  CHECK(budget.held() == 30);
  CHECK(late.take(70));
}

TEST_CASE("Leaving the queue admits the next one, and releases bytes granted meanwhile") {
  MemoryBudget budget(100);
  MemoryBudget::Share holder(budget), first(budget), second(budget);
  bool woken = false;
  CHECK(holder.take(60));
  {
    const MemoryBudget::Waiter leaves(first, 50, [] {});
    MemoryBudget::Waiter next(second, 40, [&] { woken = true; });
    CHECK_FALSE(woken);
    CHECK(budget.is_short());
    holder.release();  // both are granted
    CHECK(woken);
    CHECK(budget.held() == 90);
  }
  CHECK(budget.held() == 0);
  CHECK_FALSE(budget.is_short());
}

TEST_CASE("A request for memory is granted at once, without a wake-up, if there is memory") {
  MemoryBudget budget(100);
  MemoryBudget::Share share(budget);
  bool woken = false;
  MemoryBudget::Waiter waiter(share, 100, [&] { woken = true; });
  CHECK(waiter.take());
  CHECK_FALSE(woken);
  CHECK(share.bytes() == 100);
}

TEST_CASE("A budget of strangers grants to the newest first") {
  MemoryBudget budget(100, MemoryBudget::Order::NewestFirst);
  MemoryBudget::Share holder(budget), first(budget), second(budget);
  REQUIRE(holder.take(100));
  MemoryBudget::Waiter old(first, 100, [] {});
  MemoryBudget::Waiter young(second, 100, [] {});
  holder.release();
  CHECK_FALSE(old.take());
  CHECK(young.take());
  second.release();
  CHECK(old.take());
}

TEST_CASE("The first share is granted at any size") {
  MemoryBudget budget(100);
  MemoryBudget::Share large(budget);
  MemoryBudget::Share small(budget);
  CHECK(large.take(1000));
  CHECK_FALSE(small.take(1));
  large.release();
  CHECK(small.take(1));
  CHECK_FALSE(large.take(1000));
}

TEST_CASE("Memory in use is charged even beyond the budget, and the destructor releases it") {
  MemoryBudget budget(100);
  {
    MemoryBudget::Share share(budget);
    share.charge(150);
    share.charge(250);  // replaces the first charge
    CHECK(budget.held() == 250);
    CHECK(budget.is_short());
  }
  CHECK(budget.held() == 0);
}

TEST_CASE("Threads that take and release concurrently stay within the budget, and leak nothing") {
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
          share.release();
        }
      });
    }
  }
  CHECK_FALSE(too_many);
  CHECK(budget.held() == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
