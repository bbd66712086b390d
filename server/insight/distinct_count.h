// Estimates how many distinct values were seen, in bounded memory: keeps the smallest hashes.
// Source: Bar-Yossef et al., Counting Distinct Elements in a Data Stream, 2002
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rocktable {

class DistinctCount {
 public:
  static constexpr std::size_t kExact = 64;  // up to this the count is exact; beyond, within about 13 %

  // `hash`: of 64 bits, equally distributed.
  void add(std::uint64_t hash) {
    if (smallest_.size() == kExact && hash >= smallest_.back()) {
      is_exact_ = is_exact_ && hash == smallest_.back();
      return;
    }
    insert(hash);
  }
  void add(const DistinctCount& other);

  bool is_exact() const { return is_exact_; }
  std::uint64_t estimate() const;

 private:
  void insert(std::uint64_t hash);

  std::vector<std::uint64_t> smallest_;  // sorted
  bool is_exact_ = true;
};

}  // namespace rocktable
