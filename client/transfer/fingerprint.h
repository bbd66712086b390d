// How many entities, and a checksum over their keys, types and values: equal for equal sets of entities, in whatever order
// these come, and their properties within them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "odata/entity.h"

namespace rocktable {

// The sum of the entities' SHA-256, of 128 bits of each. A negative zero counts as zero, for answers of the service show
// it as that.
class Fingerprint {
 public:
  void add(const Entity& entity);

  std::uint64_t count() const { return count_; }
  // `3 entities, checksum 00ff..`
  std::string to_string() const;

  bool operator==(const Fingerprint&) const = default;

 private:
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, 2> sum_{};
};

}  // namespace rocktable
