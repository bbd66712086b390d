// When a page of a scan ends.
#pragma once

#include <chrono>
#include <cstddef>

namespace rocktable {

using ScanDeadline = std::chrono::steady_clock::time_point;

// A page of a scan ends with the entity that reaches this. A thousand entities of 16 KiB fit in, and of the largest,
// 1 MiB each, as many as can be held in memory for several clients at once.
inline constexpr std::size_t kMaxPageBytes = 16 << 20;

}  // namespace rocktable
