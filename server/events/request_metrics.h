// Counts requests and their durations since the start, for Prometheus.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "server/events/request_event.h"
#include "server/events/short_lock.h"
#include "server/events/thread_shards.h"
#include "storage/store.h"

namespace rocktable {

// Thread-safe.
class RequestMetrics final : public RequestEventSink {
 public:
  // Counts the requests to the table service.
  void record(const RequestEvent& event) override;

  // The counts, and those of the store, in Prometheus' text format 0.0.4.
  std::string to_text(const Store& store) const;

 private:
  // Upper bounds of the buckets of durations.
  static constexpr std::array<std::chrono::microseconds, 15> kBounds{
      std::chrono::microseconds(50),      std::chrono::microseconds(100),       std::chrono::microseconds(250),
      std::chrono::microseconds(500),     std::chrono::microseconds(1'000),     std::chrono::microseconds(2'500),
      std::chrono::microseconds(5'000),   std::chrono::microseconds(10'000),    std::chrono::microseconds(25'000),
      std::chrono::microseconds(50'000),  std::chrono::microseconds(100'000),   std::chrono::microseconds(250'000),
      std::chrono::microseconds(500'000), std::chrono::microseconds(1'000'000), std::chrono::microseconds(5'000'000)};

  // Of RequestEvent::key: constants.
  struct Key {
    std::string_view operation;
    std::string_view plan_class;
    int status;

    auto operator<=>(const Key&) const = default;
  };
  struct Counts {
    std::array<std::uint64_t, kBounds.size() + 1> durations{};  // the last one: longer
    std::chrono::microseconds sum{};

    void add(const Counts& more);
    std::uint64_t requests() const;
  };
  using CountsByKey = std::map<Key, Counts>;

  struct alignas(64) Shard {
    mutable ShortLock lock;
    CountsByKey counts;
    CountsByKey::value_type* last = nullptr;  // requests are often alike
  };

  ThreadShards<Shard, 64> shards_;
};

}  // namespace rocktable
