// What one request cost in the store: counted where it is read, told by whoever asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace rocktable {

struct RequestStats {
  std::uint64_t ranges = 0;                 // ranges of keys begun: each is a seek, or the look-up of one key
  std::uint64_t entities_scanned = 0;       // records looked at
  std::uint64_t entities_returned = 0;      // those that were wanted
  std::uint64_t bytes_read = 0;             // keys and records of those scanned
  std::chrono::nanoseconds storage_time{};  // in the store's functions, the caller's visitors included

  // Called from within a scan about every 64 entities: a chance to watch it, and to end it by answering
  // false. The scan then returns the key to resume from, as it does at its deadline. Whoever sleeps in it, to
  // make way for others, keeps the scan from using a second core as well.
  std::function<bool(const RequestStats&)> progress;
};

}  // namespace rocktable
