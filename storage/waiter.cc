#include "storage/waiter.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/platform/sockets.h"

namespace rocktable {
namespace {

// Of the call that this thread runs; nullopt: of none.
std::optional<Waiter::Clock::time_point>& call_of_thread() {
  static thread_local std::optional<Waiter::Clock::time_point> since;
  return since;
}

// Counts wake-ups, and waits for one. A semaphore of the standard library can lose one on Windows (StopSignal).
class WakeUps {
 public:
  void add() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    added_.notify_one();
  }
  // Takes one. Returns false if there is none until the deadline.
  bool take(Waiter::Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    const auto has_one = [this] { return count_ > 0; };
    if (deadline == Waiter::Clock::time_point::max()) {
      added_.wait(lock, has_one);
    } else if (!added_.wait_until(lock, deadline, has_one)) {
      return false;
    }
    --count_;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  int count_ = 0;
};

// Blocks the thread, which runs one call at a time.
class BlockingWaiter final : public Waiter {
 public:
  Clock::time_point since() const override { return call_of_thread().value_or(Clock::now()); }
  bool await_socket(int socket, short events, Clock::time_point deadline) override {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return left > 0 && await_events(static_cast<std::uintptr_t>(socket), events, std::chrono::milliseconds(left));
  }
  void sleep_for(Clock::duration time) override { std::this_thread::sleep_for(time); }
  std::function<void()> waker() override {
    return [woken = woken_] { std::shared_ptr(woken)->add(); };
  }
  bool sleep(Clock::time_point deadline) override { return woken_->take(deadline); }
  void run_blocking(const std::function<void()>& work) override { work(); }

 private:
  // Shared, and once more by who calls add(): that may still run in the other thread when this one, and the
  // function that it calls, are gone.
  const std::shared_ptr<WakeUps> woken_ = std::make_shared<WakeUps>();
};

}  // namespace

Waiter::CallOfThread::CallOfThread(Clock::time_point since) { call_of_thread() = since; }
Waiter::CallOfThread::~CallOfThread() { call_of_thread().reset(); }

Waiter*& Waiter::running() {
  static thread_local Waiter* waiter = nullptr;
  return waiter;
}

Waiter& Waiter::current() {
  if (Waiter* const waiter = running()) return *waiter;
  static thread_local BlockingWaiter blocking;
  return blocking;
}

}  // namespace rocktable
