// The rows that this front end writes now. One write of a row at a time: the others wait here, and not in the database,
// each on a connection. Rows of different writes may share a hash, and then wait for each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "storage/waiter.h"

namespace rocktable {

// Thread-safe.
class RowLocks {
 public:
  // Waits until none of the rows is busy. Takes all or none, so that two writes never wait for each other.
  class Lock {
   public:
    Lock(RowLocks& rows, std::vector<std::size_t> hashes, Waiter::Clock::time_point deadline)
        : rows_(rows), hashes_(std::move(hashes)) {
      Waiter& waiter = Waiter::current();
      {
        const std::lock_guard lock(rows_.mutex_);
        if (rows_.take(hashes_)) return;
        rows_.waiting_.push_back({&hashes_, waiter.waker()});
      }
      is_held_ = waiter.sleep_until(deadline, [this] {
        const std::lock_guard lock(rows_.mutex_);
        return std::erase_if(rows_.waiting_, [this](const Waiting& one) { return one.hashes == &hashes_; }) > 0;
      });
    }
    ~Lock() {
      if (is_held_) rows_.release(hashes_);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    // False: the deadline was over before.
    bool is_held() const { return is_held_; }

   private:
    RowLocks& rows_;
    std::vector<std::size_t> hashes_;
    bool is_held_ = true;
  };

 private:
  struct Waiting {
    const std::vector<std::size_t>* hashes;
    std::function<void()> wake;  // once the rows are taken for it
  };

  bool take(const std::vector<std::size_t>& hashes) {
    if (std::ranges::any_of(hashes, [this](std::size_t hash) { return busy_.contains(hash); })) return false;
    busy_.insert(hashes.begin(), hashes.end());
    return true;
  }

  // Gives the rows to those that wait for them, in the order in which they came.
  void release(const std::vector<std::size_t>& hashes) {
    const std::lock_guard lock(mutex_);
    for (const std::size_t hash : hashes) busy_.erase(hash);
    std::erase_if(waiting_, [this](const Waiting& one) {
      if (!take(*one.hashes)) return false;
      one.wake();
      return true;
    });
  }

  Mutex mutex_;
  std::unordered_set<std::size_t> busy_;
  std::list<Waiting> waiting_;
};

}  // namespace rocktable
