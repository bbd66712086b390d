// From how many scanned entities on a query is a finding, and breaks a budget that has no other limit.
#pragma once

#include <cstdint>

namespace rocktable {

inline constexpr std::uint64_t kMaxScannedPerReturned = 20;
// Fewer say nothing about a query: tests use few entities.
inline constexpr std::uint64_t kMinScanned = 100;

}  // namespace rocktable
