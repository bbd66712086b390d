// One object for each thread, so that threads seldom wait for each other. With more threads than shards, some share
// one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace rocktable {

template <class Shard, std::size_t Count>
class ThreadShards {
 public:
  Shard& of_this_thread() {
    static std::atomic<std::size_t> threads = 0;
    thread_local const std::size_t kNumber = threads++;
    return shards_[kNumber % Count];
  }

  auto begin() { return shards_.begin(); }
  auto end() { return shards_.end(); }
  auto begin() const { return shards_.begin(); }
  auto end() const { return shards_.end(); }

 private:
  std::array<Shard, Count> shards_;
};

}  // namespace rocktable
