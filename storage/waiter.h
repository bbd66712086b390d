// How a call waits for another machine, or for other calls. A store waits only through this.
#pragma once

#include <chrono>
#include <functional>

namespace rocktable {

// While a call waits, its thread may run other calls: the caller must hold no mutex, nothing in a thread_local
// variable, and handle no exception (no wait in a `catch` or a destructor).
class Waiter {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Waiter() = default;

  // Returns the waiter of the running call. Where nobody has set one, it is one that blocks the thread.
  static Waiter& current();

  // When the running call was accepted: its time counts from then. Now, for what is no call of a client.
  virtual Clock::time_point since() const = 0;

  // Says when the call was accepted that this thread runs, and blocks.
  class CallOfThread {
   public:
    explicit CallOfThread(Clock::time_point since);
    ~CallOfThread();
    CallOfThread(const CallOfThread&) = delete;
    CallOfThread& operator=(const CallOfThread&) = delete;
  };

  // Waits for events of poll(2). Returns false if there are none until a moment after the deadline.
  virtual bool await_socket(int socket, short events, Clock::time_point deadline) = 0;

  virtual void sleep_for(Clock::duration time) = 0;

  // To wait for another call, which keeps nothing from its work: others use what this one would use of the database.
  // waker() is for another thread, or another call: it ends the next sleep() of this one, also before that began.
  // Call it once for each sleep(). What it returns may be destroyed while it runs, by the call that it wakes. sleep()
  // returns false if nobody has woken the call until a moment after the deadline.
  virtual std::function<void()> waker() = 0;
  virtual bool sleep(Clock::time_point deadline) = 0;

  // Sleeps, and returns false after the deadline, likewise. `withdraw` is called then: it sees to it that nobody wakes
  // the call any more. It returns false if somebody is about to: then this waits for that, whatever the deadline.
  bool sleep_until(Clock::time_point deadline, const std::function<bool()>& withdraw) {
    if (sleep(deadline)) return true;
    if (withdraw()) return false;
    return sleep(Clock::time_point::max());
  }

  // Runs work that blocks, where it keeps no other calls from running. Throws what it throws.
  virtual void run_blocking(const std::function<void()>& work) = 0;

 protected:
  // Of this thread; null: none is set.
  static Waiter*& running();
};

}  // namespace rocktable
