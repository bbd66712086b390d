// The times at which a fault rule is on: from a moment on, once, or again and again.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "odata/files/json_reader.h"

namespace rocktable {

// Counted from the moment at which the rule was added. Durations are ticks of 100 ns.
//
//   added     on        off            on        off
//     |--------|=========|--------------|=========|----...
//       after   `length`
//              |<------- every -------->|
struct FaultSchedule {
  std::int64_t after = 0;
  std::optional<std::int64_t> length;  // nullopt: it stays on
  std::optional<std::int64_t> every;   // nullopt: it is on once

  bool is_always_on() const { return after == 0 && !length; }

  // `elapsed`: since the rule was added; negative if the clock was turned back meanwhile.
  bool is_on(std::int64_t elapsed) const;
};

// Reads the members `after`, `for` and `every`. Throws FileError.
FaultSchedule read_schedule(const JsonReader& when);

// Writes the same members.
void write_schedule(const FaultSchedule& schedule, nlohmann::json& when);

}  // namespace rocktable
