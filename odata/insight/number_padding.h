// Finds keys that end in numbers of different length without leading zeros: `item9` and `item10`, which are in the
// wrong order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"

namespace rocktable {

class NumberPadding {
 public:
  static constexpr std::uint32_t kMinKeys = 10;

  void add(std::string_view key);

  // The subject is `9` and `10`, as in a sentence: "`item9` is behind `item10`". `count` is of keys with this
  // beginning.
  std::optional<Evidence> unpadded() const;

 private:
  // Keys with the same text before the number.
  struct Stem {
    std::size_t hash = 0;
    std::uint32_t keys = 0;
    std::string shortest, longest;  // without leading zeros; empty: none
  };

  std::array<Stem, 16> stems_;  // by hash; a stem that needs the place of another one replaces it
};

}  // namespace rocktable
