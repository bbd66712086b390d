// The gate of the store: many passes, or one exclusive owner.
#include "storage/rocksdb/concurrency/gate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "odata/error.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

using std::chrono::milliseconds;

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const ServiceException& refusal) {
    return refusal.error().code;
  }
  return ErrorCode::NotImplemented;  // nothing was thrown
}

TEST_CASE("Gate::Closed excludes all passes, and waiting passes are granted afterwards") {
  Gate gate;
  int shared = 0;  // written by the exclusive owner; not atomic, so that ThreadSanitizer finds races
  std::atomic<int> entered{0}, torn{0};
  std::atomic<bool> running{true};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (running) {
          const Gate::Pass pass(gate);
          const int before = shared;
          std::this_thread::yield();
          torn += shared != before;
          ++entered;
        }
      });
    }
    for (int round = 0; round < 200; ++round) {
      for (const int before = entered; entered == before;) std::this_thread::yield();
      const Gate::Closed alone(gate, std::chrono::seconds(20));
      ++shared;
      std::this_thread::yield();
      ++shared;
    }
    running = false;
  }
  CHECK(torn == 0);
  CHECK(shared == 400);
}

TEST_CASE("waiting for a closed gate ends after the patience") {
  Gate gate(milliseconds(20));
  {
    const Gate::Closed alone(gate, milliseconds(1000));
    CHECK(code_of([&] { const Gate::Pass pass(gate); }) == ErrorCode::ServerBusy);
  }
  const Gate::Pass pass(gate);
}

TEST_CASE("is_closing() becomes true when a thread waits long to close the gate") {
  Gate gate;
  std::jthread closing;
  {
    const Gate::Pass inside(gate);
    CHECK_FALSE(gate.is_closing());
    closing = std::jthread([&] { const Gate::Closed alone(gate, std::chrono::seconds(60)); });
    CHECK(wait_until([&] { return gate.is_closing(); }));
  }
  closing.join();
  CHECK_FALSE(gate.is_closing());
}

TEST_CASE("if a pass is not released in time, closing fails and the gate is open again") {
  Gate gate;
  {
    const Gate::Pass inside(gate);
    CHECK(code_of([&] { const Gate::Closed alone(gate, milliseconds(20)); }) == ErrorCode::ServerBusy);
    CHECK_FALSE(gate.is_closing());
  }
  const Gate::Closed alone(gate, milliseconds(20));
}

TEST_CASE("a gate that is left closed refuses calls at once, also waiting ones, until it is opened again") {
  Gate gate(std::chrono::hours(1));
  std::atomic<int> refused{0};
  std::jthread waiting;
  {
    Gate::Closed alone(gate, milliseconds(1000));
    waiting = std::jthread([&] { refused += code_of([&] { const Gate::Pass pass(gate); }) == ErrorCode::ServerBusy; });
    alone.leave_closed();
  }
  waiting.join();
  CHECK(refused == 1);
  CHECK(code_of([&] { const Gate::Pass pass(gate); }) == ErrorCode::ServerBusy);
  CHECK(code_of([&] { const Gate::Closed again(gate, milliseconds(1)); }) == ErrorCode::ServerBusy);
  CHECK(code_of([&] { const Gate::Pass pass(gate); }) == ErrorCode::ServerBusy);
  gate.open_again();
  {
    const Gate::Pass pass(gate);
  }
  const Gate::Closed alone(gate, milliseconds(20));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
