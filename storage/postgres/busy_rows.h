// The rows that this front end writes now. One write of a row at a time, so that a write whose answer was lost can be told
// from others by its ticks. Rows of different writes may share a hash, and then wait for each other.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/call_waiter.h"

namespace rocktable {

class BusyRows {
 public:
  // Waits until none of the rows is busy. Takes all or none, so that two writes never wait for each other.
  class Claim {
   public:
    Claim(BusyRows& rows, std::vector<std::size_t> hashes) : rows_(rows), hashes_(std::move(hashes)) {
      if (!take()) run_blocking([this] { await(); });
    }
    ~Claim() {
      {
        const std::lock_guard lock(rows_.mutex_);
        for (const std::size_t hash : hashes_) rows_.busy_.erase(hash);
      }
      rows_.released_.notify_all();
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    bool are_free() const {
      return std::ranges::none_of(hashes_, [this](std::size_t hash) { return rows_.busy_.contains(hash); });
    }
    bool take() {
      const std::lock_guard lock(rows_.mutex_);
      if (!are_free()) return false;
      rows_.busy_.insert(hashes_.begin(), hashes_.end());
      return true;
    }
    void await() {
      std::unique_lock lock(rows_.mutex_);
      rows_.released_.wait(lock, [this] { return are_free(); });
      rows_.busy_.insert(hashes_.begin(), hashes_.end());
    }

    BusyRows& rows_;
    std::vector<std::size_t> hashes_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  std::unordered_set<std::size_t> busy_;
};

}  // namespace rocktable
