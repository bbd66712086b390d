// The time of the emulator: that of the wall clock, unless a test has turned it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/date_time.h"

namespace rocktable {

// Thread-safe. Signatures, tokens, access policies, simulated delays and timestamps use it; timeouts of connections and
// queries do not.
class TimeSource {
 public:
  struct Setting {
    std::int64_t offset = 0;         // ticks that are added to the wall clock
    std::optional<DateTime> frozen;  // the time stands still; the offset has no effect
    bool lenient = false;            // clients whose clocks are real are not to notice

    bool operator==(const Setting&) const = default;
  };

  DateTime now() const {
    const std::int64_t frozen = frozen_.load(std::memory_order_relaxed);
    if (frozen != kRunning) return {frozen};
    return {rocktable::now().ticks + offset_.load(std::memory_order_relaxed)};
  }

  // What the clocks of clients show, which nobody turns: `now`, unless the setting is lenient.
  DateTime of_clients(DateTime now) const {
    return is_lenient_.load(std::memory_order_relaxed) ? rocktable::now() : now;
  }

  Setting setting() const;
  void set(const Setting& setting);

 private:
  static constexpr std::int64_t kRunning = -1;

  std::atomic<std::int64_t> offset_ = 0;
  std::atomic<std::int64_t> frozen_ = kRunning;
  std::atomic<bool> is_lenient_ = false;
};

}  // namespace rocktable
