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

namespace rocktable {

class BusyRows {
 public:
  // Waits until none of the rows is busy. Takes all or none, so that two writes never wait for each other.
  class Claim {
   public:
    Claim(BusyRows& rows, std::vector<std::size_t> hashes) : rows_(rows), hashes_(std::move(hashes)) {
      std::unique_lock lock(rows_.mutex_);
      rows_.released_.wait(lock, [this] {
        return std::ranges::none_of(hashes_, [this](std::size_t hash) { return rows_.busy_.contains(hash); });
      });
      rows_.busy_.insert(hashes_.begin(), hashes_.end());
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
    BusyRows& rows_;
    std::vector<std::size_t> hashes_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  std::unordered_set<std::size_t> busy_;
};

}  // namespace rocktable
