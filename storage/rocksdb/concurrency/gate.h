// Gate of the store. All calls hold a Pass, and any number of passes exist at the same time. To replace the
// database, a thread closes the gate: this waits until all passes are released, and new calls wait for a
// moment. While there is no database, the gate stays closed, and new calls are refused at once.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace rocktable {

// Thread-safe. A thread holds at most one pass.
class Gate {
 public:
  // `patience`: how long a call waits for a closed gate to open.
  explicit Gate(std::chrono::milliseconds patience = std::chrono::seconds(2)) : patience_(patience) {}

  struct alignas(64) Slot {  // one cache line per slot, so that threads do not contend
    std::atomic<int> inside = 0;
  };

  // The right to use the database, for the time of one call.
  class Pass {
   public:
    explicit Pass(Gate& gate) : slot_(gate.enter()) {}
    ~Pass() { slot_.inside.fetch_sub(1, std::memory_order_release); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Slot& slot_;
  };

  // Exclusive use of the database: no Pass exists.
  class Closed {
   public:
    // Throws ServiceException (ServerBusy) if the passes are not released within `patience`. The gate is then
    // open again.
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

  // Returns true if calls should end early, because a thread has waited for a while to close the gate.
  bool is_closing() const { return is_closing_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kSlots = 64;

  // Throws ServiceException (ServerBusy) if the gate does not open in time, or stays closed.
  Slot& enter();
  void await_opening();
  bool is_empty() const;
  void open();

  const std::chrono::milliseconds patience_;
  std::array<Slot, kSlots> slots_;
  std::atomic<bool> closed_ = false;
  std::atomic<bool> is_closing_ = false;
  std::mutex closing_mutex_;  // held by the thread that closes the gate
  std::mutex mutex_;
  std::condition_variable changed_;
  bool refuses_ = false;  // calls do not wait while the gate stays closed; guarded by mutex_
};

}  // namespace rocktable
