// The rows that this front end writes now. One write of a row at a time, so that a write whose answer was lost can be told
// from others by its ticks. Rows of different writes may share a hash, and then wait for each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <semaphore>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/call_waiter.h"

namespace rocktable {

// Thread-safe.
class BusyRows {
 public:
  // Waits until none of the rows is busy. Takes all or none, so that two writes never wait for each other.
  class Claim {
   public:
    Claim(BusyRows& rows, std::vector<std::size_t> hashes) : rows_(rows), hashes_(std::move(hashes)) {
      CallWaiter* const waiter = CallWaiter::current();
      std::binary_semaphore woken{0};
      {
        const std::lock_guard lock(rows_.mutex_);
        if (rows_.take(hashes_)) return;
        rows_.waiting_.push_back(
            {&hashes_, waiter != nullptr ? waiter->waker() : [&woken] { woken.release(); }});
      }
      if (waiter != nullptr) {
        waiter->sleep();
      } else {
        woken.acquire();
        const std::lock_guard lock(rows_.mutex_);  // until the other thread is done with `woken`
      }
    }
    ~Claim() { rows_.release(hashes_); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    BusyRows& rows_;
    std::vector<std::size_t> hashes_;
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

  std::mutex mutex_;
  std::unordered_set<std::size_t> busy_;
  std::list<Waiting> waiting_;
};

}  // namespace rocktable
