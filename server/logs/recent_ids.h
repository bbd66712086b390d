// Remembers which ids were seen lately, in bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rocktable {

// Remembers at least the last kMinKept ids, and at most twice as many: two sets, of which the older one is forgotten
// when the newer one is full.
class RecentIds {
 public:
  static constexpr std::size_t kMinKept = 500'000;

  // `hash`: of 64 bits, equally distributed. Returns false if it was seen lately.
  bool add(std::uint64_t hash);

 private:
  static constexpr std::size_t kSlots = 1 << 20;  // 8 MiB for each set, at most half full

  struct Set {
    std::vector<std::uint64_t> slots;  // 0: free
    std::size_t count = 0;
  };

  static std::uint64_t* find_slot(Set& set, std::uint64_t hash);

  std::array<Set, 2> sets_;
  std::size_t newer_ = 0;
};

}  // namespace rocktable
