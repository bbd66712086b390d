// Memory that all connections share: whoever needs much of it takes a share first, and waits where none is left.
#pragma once

#include <atomic>
#include <cstddef>

namespace rocktable {

// Thread-safe; its shares are not.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : limit_(bytes) {}

  // Whether somebody waits for memory, or all is given away.
  bool is_short() const { return waiting_ > 0 || is_spent(); }
  bool is_spent() const { return held_ >= limit_; }
  std::size_t held() const { return held_; }

  // What one connection holds; goes back by itself.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(budget) {}
    ~Share() { give_back(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // So many bytes in place of those held; false, and nothing held, where they are not there. The first share is
    // granted whatever its size, so that no budget is too small to go on with. Holding nothing while waiting for
    // more, nobody waits for one who waits.
    bool take(std::size_t bytes);

    // The same, where the memory is in use already.
    void charge(std::size_t bytes);

    void give_back();
    bool is_held() const { return bytes_ > 0; }

   private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
  };

  // As long as it lives, somebody waits.
  class Wait {
   public:
    explicit Wait(MemoryBudget& budget) : budget_(budget) { ++budget_.waiting_; }
    ~Wait() { --budget_.waiting_; }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    MemoryBudget& budget_;
  };

 private:
  std::size_t limit_;
  std::atomic<std::size_t> held_ = 0;
  std::atomic<int> waiting_ = 0;
};

}  // namespace rocktable
