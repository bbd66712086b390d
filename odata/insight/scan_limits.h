// From how many scanned entities on a query is a finding, and breaks a budget that has no other limit.
#pragma once

#include <cstdint>

namespace rocktable {

inline constexpr std::uint64_t kMostScannedPerReturned = 20;
// Fewer say nothing about a query: tests use few entities.
inline constexpr std::uint64_t kLeastScanned = 100;

}  // namespace rocktable
