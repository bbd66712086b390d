// From how many scanned entities on a query is a finding, and breaks a budget that has no other limit.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rocktable {

inline constexpr std::uint64_t kMaxScannedPerReturned = 20;
// The ratio of a shape that scanned fewer says nothing.
inline constexpr std::uint64_t kMinScanned = 100;
// Scans of fewer say nothing: a table of settings has a few rows, and is read as a whole.
inline constexpr std::uint64_t kMinScannedByQuery = 20;

// Returns how many entities a query of a shape scans: on average with all its pages, or the most by one page if that is
// more. `continuations`: pages with a continuation token.
inline std::uint64_t scanned_by_query(std::uint64_t scanned, std::uint64_t most_by_page, std::uint64_t requests,
                                      std::uint64_t continuations) {
  const std::uint64_t queries = requests > continuations ? requests - continuations : 1;
  return std::max(scanned / queries, most_by_page);
}

}  // namespace rocktable
