#include "storage/postgres/busy_rows.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rocktable {
namespace {

// A call whose sleep() runs what others do meanwhile.
class ScriptedCall final : public CallWaiter {
 public:
  explicit ScriptedCall(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {
    running() = this;
  }
  ~ScriptedCall() override { running() = nullptr; }
  ScriptedCall(const ScriptedCall&) = delete;
  ScriptedCall& operator=(const ScriptedCall&) = delete;

  bool await_socket(int, short, Clock::time_point) override { return false; }
  void run_blocking(const std::function<void()>& work) override { work(); }
  std::function<void()> waker() override {
    return [this] { ++wakes; };
  }
  void sleep() override { meanwhile_(); }

  int wakes = 0;

 private:
  std::function<void()> meanwhile_;
};

TEST_CASE("rows that are free are taken at once") {
  BusyRows rows;
  const BusyRows::Claim one(rows, {1, 2});
  const BusyRows::Claim other(rows, {3});
}

TEST_CASE("a call that waits for a row sleeps, and is woken when the row is its own") {
  BusyRows rows;
  std::optional<BusyRows::Claim> first(std::in_place, rows, std::vector<std::size_t>{1});
  ScriptedCall call([&] {
    CHECK(call.wakes == 0);
    first.reset();
    CHECK(call.wakes == 1);
  });
  const BusyRows::Claim second(rows, {1, 2});
  CHECK(call.wakes == 1);
}

TEST_CASE("threads take a row one after the other, and rows of a transaction together") {
  BusyRows rows;
  int writes = 0;  // no lock: the claim is one
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < 500; ++i) {
        const BusyRows::Claim claim(rows, {0, 1 + number % 2});
        ++writes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(writes == 2000);
}

TEST_CASE("of those that wait, all whose rows are free go on") {
  BusyRows rows;
  std::optional<BusyRows::Claim> both(std::in_place, rows, std::vector<std::size_t>{1, 2});
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (const std::size_t row : {1, 2, 1, 2})
    threads.emplace_back([&, row] {
      const BusyRows::Claim claim(rows, {row});
      ++done;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(done == 0);
  both.reset();
  for (std::thread& thread : threads) thread.join();
  CHECK(done == 4);
}

}  // namespace
}  // namespace rocktable
