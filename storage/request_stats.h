// The cost of one request in the store. The store counts it; the caller reports it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace rocktable {

struct RequestStats {
  std::uint64_t ranges = 0;                 // key ranges begun; each costs a seek or the look-up of one key
  std::uint64_t entities_scanned = 0;       // records decoded
  std::uint64_t entities_returned = 0;      // entities that belong to the result
  std::uint64_t bytes_read = 0;             // bytes of keys and records of entities_scanned
  std::chrono::nanoseconds storage_time{};  // time in functions of the store, including the caller's visitors

  // Called about every 64 entities of a scan, so that the caller can observe the scan and end it. If it
  // returns false, the scan returns the key to resume from, as at its deadline. If it sleeps, in order to
  // yield to other requests, the scan does not use a second core either.
  std::function<bool(const RequestStats&)> progress = {};
};

}  // namespace rocktable
