// Fingerprint of a set of entities: their number, and a checksum of keys, types and values. It does not
// depend on the order of the entities or of their properties.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "odata/entity.h"

namespace rocktable {

// The checksum is the sum of the first 128 bits of each entity's SHA-256. Negative zero counts as zero,
// because the service returns it as zero.
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
