// The memory budget of all connections. A connection takes a share before it uses much memory, and waits in a
// queue if the budget is spent.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>

#include "base/threads/mutex.h"

namespace rocktable {

// A request or response of at most this size needs no share.
inline constexpr std::size_t kFreeBytes = 16 << 10;

// Thread-safe; its shares are not.
class MemoryBudget {
 public:
  // Who gets memory that becomes free. The newest: among those who can be strangers that never go on, the one that came
  // last is the likeliest to be an honest client that still waits.
  enum class Order { OldestFirst, NewestFirst };

  explicit MemoryBudget(std::size_t bytes, Order order = Order::OldestFirst) : limit_(bytes), order_(order) {}

  // True if a connection waits for memory, if the budget is spent, or if a share was refused and less than
  // half of the budget has been free since.
  bool is_short() const { return waiting_ > 0 || refused_ || held_ >= limit_; }
  std::size_t held() const { return held_; }

  // The bytes that one connection holds. The destructor releases them.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(budget) {}
    ~Share() { release(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Replaces the held bytes by `bytes`, without waiting. Returns false and holds nothing if the budget has
    // too few bytes, or if other connections wait for memory. If no other share holds bytes, any size is
    // granted, so that a small budget does not block a large request forever.
    bool take(std::size_t bytes);

    // Grows the share to `bytes` in total, without waiting. Returns false and keeps the held bytes if the
    // budget has too few bytes, or if other connections wait for memory.
    bool grow(std::size_t bytes);

    // Sets the share to `bytes`, even beyond the budget: for memory that is already in use.
    void charge(std::size_t bytes);

    void release() { charge(0); }
    bool is_held() const { return bytes_ > 0; }
    std::size_t bytes() const { return bytes_; }

   private:
    friend class MemoryBudget;

    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
  };

  // A place in the queue of waiting connections.
  class Waiter {
   public:
    // Requests `bytes` for `share`, which must hold nothing. If they are not granted at once, `wake` is
    // called when they are: at most once, on any thread, under the budget's lock. `wake` must not call the
    // budget.
    Waiter(Share& share, std::size_t bytes, std::function<void()> wake);
    // Leaves the queue. Releases bytes that were granted and not taken.
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    // Returns whether the bytes are granted. If so, the share holds them.
    bool take();

   private:
    friend class MemoryBudget;
    enum class State { Waiting, Granted, Taken };

    Share& share_;
    std::size_t bytes_;
    std::function<void()> wake_;
    State state_ = State::Waiting;
    std::list<Waiter*>::iterator place_;
  };

 private:
  // These need the lock.
  bool has_room(std::size_t bytes) const { return held_ == 0 || held_ + bytes <= limit_; }
  void held_changed();  // grants bytes to the front of the queue

  const std::size_t limit_;
  const Order order_;
  Mutex mutex_;
  std::list<Waiter*> queue_;
  std::atomic<std::size_t> held_ = 0;     // written under the lock
  std::atomic<std::size_t> waiting_ = 0;  // likewise; the length of the queue
  std::atomic<bool> refused_ = false;     // likewise
};

}  // namespace rocktable
