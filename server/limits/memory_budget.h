// Memory that all connections share. Who needs much of it takes a share first, and waits for its turn where none is left.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>

namespace rocktable {

// A request or an answer of so few bytes needs no share.
inline constexpr std::size_t kFreeBytes = 16 << 10;

// Thread-safe; its shares are not.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : limit_(bytes) {}

  // Whether somebody waits for memory, all is given away, or somebody was refused and no half of it is free since.
  bool is_short() const { return waiting_ > 0 || refused_ || held_ >= limit_; }
  std::size_t held() const { return held_; }

  // What one connection holds; goes back by itself.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(budget) {}
    ~Share() { give_back(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // So many bytes in place of those held, at once; false, and nothing held, where they are not there or others wait
    // for them. A share that nobody else's stands beside is granted whatever its size: no budget is too small to go on.
    bool take(std::size_t bytes);

    // So many bytes in all, at once; false, and all kept that is held, where they are not there or others wait.
    bool grow(std::size_t bytes);

    // The same whether they are there or not: for memory that is in use already.
    void charge(std::size_t bytes);

    void give_back() { charge(0); }
    bool is_held() const { return bytes_ > 0; }
    std::size_t bytes() const { return bytes_; }

   private:
    friend class MemoryBudget;

    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
  };

  // A place in the queue of those who wait: they are granted their shares in the order of their arrival.
  class Turn {
   public:
    // For so many bytes, while `share` holds nothing. `wake` is called at most once, on any thread and under the
    // budget's lock, when they are granted later than at once; it must not call the budget.
    Turn(Share& share, std::size_t bytes, std::function<void()> wake);
    // Leaves the queue. What is granted and not claimed goes back.
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // Whether the bytes are granted; then the share holds them.
    bool claim();

   private:
    friend class MemoryBudget;
    enum class State { Waiting, Granted, Claimed };

    Share& share_;
    std::size_t bytes_;
    std::function<void()> wake_;
    State state_ = State::Waiting;
    std::list<Turn*>::iterator place_;
  };

 private:
  // All under the lock.
  bool has_room(std::size_t bytes) const { return held_ == 0 || held_ + bytes <= limit_; }
  void note_change();  // of `held_`

  const std::size_t limit_;
  std::mutex mutex_;
  std::list<Turn*> queue_;
  std::atomic<std::size_t> held_ = 0;     // written under the lock
  std::atomic<std::size_t> waiting_ = 0;  // likewise: the length of the queue
  std::atomic<bool> refused_ = false;     // likewise
};

}  // namespace rocktable
