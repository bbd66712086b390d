// Behaviour of the real service that an emulator does not have by itself: throttling, short pages, delays. All of it is
// off by default.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "odata/files/json_reader.h"
#include "server/behaviour/delay.h"

namespace rocktable {

struct ThrottleRates {
  double per_partition = 2'000;  // entities per second
  double per_account = 20'000;   // transactions per second

  bool operator==(const ThrottleRates&) const = default;
};

// Durations are ticks of 100 ns; zero: the behaviour is off.
struct Behaviour {
  std::optional<ThrottleRates> throttle;
  std::int64_t retry_after = 0;    // seconds, for the header Retry-After of a throttled request; 0: no such header
  std::int64_t boundaries = 0;     // partition keys at which the pages of a query end
  std::int64_t page_deadline = 0;  // milliseconds after which the page of a query ends
  std::int64_t delete_delay = 0;   // for which the name of a deleted table cannot be used
  std::int64_t policy_delay = 0;   // after which a changed access policy applies
  Delay latency;                   // before each response
  std::int64_t seed = 0;           // of boundaries and latency

  bool is_off() const {
    Behaviour off;
    off.seed = seed;
    return *this == off;
  }
  bool operator==(const Behaviour&) const = default;
};

// Reads `throttle=500,boundaries=4,latency=20,0.8`; `off` and an empty list switch everything off. Throws
// std::invalid_argument, whose message is a sentence.
Behaviour parse_behaviour(std::string_view list);

// Reads {"throttle": [500, 20000], "boundaries": 4, "latency": [20, 0.8]}. A list of one number may be a number; `true`
// has the numbers of the real service. Throws FileError.
Behaviour read_behaviour(const JsonReader& object);

// Writes the same form, without what is off.
nlohmann::json to_json(const Behaviour& behaviour);

}  // namespace rocktable
