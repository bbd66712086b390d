// The way into the store. All calls pass through side by side. Whoever replaces the database closes the gate: calls that
// are inside leave first, calls that arrive meanwhile wait for a moment. While there is no database the gate stays
// closed, and calls that arrive are refused at once.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace rocktable {

// Thread-safe. A thread passes once at a time.
class Gate {
 public:
  // `patience`: how long one waits outside.
  explicit Gate(std::chrono::milliseconds patience = std::chrono::seconds(2)) : patience_(patience) {}

  struct alignas(64) Slot {  // a cache line for itself: threads that share none do not slow each other down
    std::atomic<int> inside = 0;
  };

  // Being inside.
  class Pass {
   public:
    explicit Pass(Gate& gate) : slot_(gate.enter()) {}
    ~Pass() { slot_.inside.fetch_sub(1, std::memory_order_release); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Slot& slot_;
  };

  // Being alone.
  class Closed {
   public:
    // Throws ServiceException: ServerBusy, where those inside have not left in time; then nothing has happened.
    Closed(Gate& gate, std::chrono::milliseconds patience);
    ~Closed();
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

    // Keeps the gate closed after this object is destroyed. Calls are refused at once until open_again().
    void leave_closed();

   private:
    Gate& gate_;
    std::unique_lock<std::mutex> alone_;
    bool stays_closed_ = false;
  };

  // Opens a gate that Closed::leave_closed() kept closed.
  void open_again() { open(); }

  // Whether those inside should leave now: who closes has waited for a while.
  bool is_pressing() const { return pressing_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kSlots = 64;

  // Throws ServiceException: ServerBusy, where the gate is not opened in time, or stays closed.
  Slot& enter();
  void await_opening();
  bool is_empty() const;
  void open();

  const std::chrono::milliseconds patience_;
  std::array<Slot, kSlots> slots_;
  std::atomic<bool> closed_ = false;
  std::atomic<bool> pressing_ = false;
  std::mutex closing_mutex_;  // one closes at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  bool refuses_ = false;  // the gate stays closed: calls do not wait; guarded by mutex_
};

}  // namespace rocktable
