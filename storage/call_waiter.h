// How a call waits for another machine without holding its thread.
#pragma once

#include <chrono>
#include <functional>

namespace rocktable {

// Waits in place of a thread that runs several calls. An engine uses it where it would block otherwise.
class CallWaiter {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~CallWaiter() = default;

  // Returns the waiter of the running call. Null: the call has its thread for itself, and may block.
  static CallWaiter* current() { return running(); }

  // Waits for events of poll(2). Returns false if there are none until about a second after the deadline. Other calls run
  // on this thread meanwhile: the caller must hold no mutex, and nothing in a thread_local variable.
  virtual bool await_socket(int socket, short events, Clock::time_point deadline) = 0;

  // waker() is for another thread, or another call: it ends the next sleep() of this one, also before that began. Call it
  // once for each sleep(). The same holds for the caller.
  virtual std::function<void()> waker() = 0;
  virtual void sleep() = 0;

  // Runs work that blocks, on another thread. Throws what it throws. The same holds for the caller.
  virtual void run_blocking(const std::function<void()>& work) = 0;

 protected:
  static CallWaiter*& running() {
    static thread_local CallWaiter* waiter = nullptr;
    return waiter;
  }
};

// Runs work that blocks, without holding a thread that runs other calls.
inline void run_blocking(const std::function<void()>& work) {
  if (CallWaiter* const waiter = CallWaiter::current()) return waiter->run_blocking(work);
  work();
}

}  // namespace rocktable
