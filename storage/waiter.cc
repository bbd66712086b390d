#include "storage/waiter.h"

#include <memory>
#include <optional>
#include <semaphore>
#include <thread>

#include "base/platform/sockets.h"

namespace rocktable {
namespace {

// Of the call that this thread runs; nullopt: of none.
std::optional<Waiter::Clock::time_point>& call_of_thread() {
  static thread_local std::optional<Waiter::Clock::time_point> since;
  return since;
}

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
    return [woken = woken_] { std::shared_ptr(woken)->release(); };
  }
  bool sleep(Clock::time_point deadline) override {
    if (deadline != Clock::time_point::max()) return woken_->try_acquire_until(deadline);
    woken_->acquire();
    return true;
  }
  void run_blocking(const std::function<void()>& work) override { work(); }

 private:
  // Shared, and once more by who calls release(): that may still run in the other thread when this one, and the
  // function that it calls, are gone.
  const std::shared_ptr<std::counting_semaphore<>> woken_ = std::make_shared<std::counting_semaphore<>>(0);
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
