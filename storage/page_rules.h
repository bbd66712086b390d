// The rules that end a page of a scan.
#pragma once

#include <chrono>
#include <cstddef>

namespace rocktable {

using ScanDeadline = std::chrono::steady_clock::time_point;

// A page ends with the entity that reaches this size. A page is held in memory, also for several clients at
// once. This size holds a thousand entities of 16 KiB, or 16 of the largest (1 MiB each).
inline constexpr std::size_t kMaxPageBytes = 16 << 20;

}  // namespace rocktable
