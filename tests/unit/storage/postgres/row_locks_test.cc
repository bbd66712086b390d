#include "storage/postgres/row_locks.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

constexpr auto kNever = Waiter::Clock::time_point::max();

// A call whose sleep() runs what others do meanwhile.
class ScriptedWaiter final : public Waiter {
 public:
  explicit ScriptedWaiter(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) { running() = this; }
  ~ScriptedWaiter() override { running() = nullptr; }
  ScriptedWaiter(const ScriptedWaiter&) = delete;
  ScriptedWaiter& operator=(const ScriptedWaiter&) = delete;

  Clock::time_point since() const override { return Clock::now(); }
  bool await_socket(int, short, Clock::time_point) override { return false; }
  void sleep_for(Clock::duration) override {}
  void run_blocking(const std::function<void()>& work) override { work(); }
  std::function<void()> waker() override {
    return [this] { ++wakes; };
  }
  bool sleep(Clock::time_point) override {
    meanwhile_();
    return wakes > 0;
  }

  int wakes = 0;

 private:
  std::function<void()> meanwhile_;
};

TEST_CASE("rows that are free are taken at once") {
  RowLocks rows;
  const RowLocks::Lock one(rows, {1, 2}, kNever);
  const RowLocks::Lock other(rows, {3}, kNever);
}

TEST_CASE("a call that waits for a row sleeps, and is woken when the row is its own") {
  RowLocks rows;
  std::optional<RowLocks::Lock> first(std::in_place, rows, std::vector<std::size_t>{1}, kNever);
  ScriptedWaiter call([&] {
    CHECK(call.wakes == 0);
    first.reset();
    CHECK(call.wakes == 1);
  });
  const RowLocks::Lock second(rows, {1, 2}, kNever);
  CHECK(call.wakes == 1);
}

TEST_CASE("a call that waits for a row for too long does not get it, and leaves the line") {
  RowLocks rows;
  std::optional<RowLocks::Lock> first(std::in_place, rows, std::vector<std::size_t>{1}, kNever);
  {
    ScriptedWaiter call([] {});
    const RowLocks::Lock late(rows, {1, 2}, Waiter::Clock::now());
    CHECK_FALSE(late.is_held());
    first.reset();
    CHECK(call.wakes == 0);
  }
  const RowLocks::Lock next(rows, {1, 2}, kNever);
  CHECK(next.is_held());
}

TEST_CASE("threads take a row one after the other, and rows of a transaction together") {
  RowLocks rows;
  int writes = 0;  // no lock: the claim is one
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < 500; ++i) {
        const RowLocks::Lock lock(rows, {0, 1 + number % 2}, kNever);
        ++writes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(writes == 2000);
}

TEST_CASE("of those that wait, all whose rows are free go on") {
  RowLocks rows;
  std::optional<RowLocks::Lock> both(std::in_place, rows, std::vector<std::size_t>{1, 2}, kNever);
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (const std::size_t row : {1, 2, 1, 2})
    threads.emplace_back([&, row] {
      const RowLocks::Lock lock(rows, {row}, kNever);
      ++done;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(done == 0);
  both.reset();
  for (std::thread& thread : threads) thread.join();
  CHECK(done == 4);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
