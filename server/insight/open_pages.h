// Pages of queries whose continuation token no request has used yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>

#include "base/threads/mutex.h"

namespace rocktable {

// Thread-safe.
class OpenPages {
 public:
  static constexpr std::size_t kMaxPages = 10'000;  // then the oldest are forgotten

  // `page` identifies the query and the place where its next page begins; `shape` is hash_of() its shape.
  void open(std::uint64_t page, std::size_t shape);
  // The next page was asked for.
  void close(std::uint64_t page);

  // The number of open pages by shape.
  std::unordered_map<std::size_t, std::uint64_t> by_shape() const;

  // Forgets the pages of these shapes.
  void forget(const std::set<std::size_t>& shapes);

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::uint64_t, std::size_t> shapes_;  // by page
  std::deque<std::uint64_t> order_;                        // pages, the oldest first; also closed ones
};

}  // namespace rocktable
