// What all faulty calls share: the rules, the behaviour of accounts, and what became of requests.
#pragma once

#include "base/time_source.h"
#include "server/behaviour/behaviours.h"
#include "server/faults/fault_plan.h"
#include "server/faults/retry_log.h"

namespace rocktable {

// Thread-safe, as its parts are.
struct Faults {
  Behaviours& behaviours;
  const TimeSource& time;
  FaultPlan plan = {};
  RetryLog retries = {};
};

}  // namespace rocktable
