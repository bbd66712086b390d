// What faults and simulated behaviour do to one request.
#pragma once

#include <memory>
#include <optional>

#include "server/behaviour/behaviour.h"
#include "server/faults/fault_plan.h"
#include "server/faults/request_facts.h"

namespace rocktable {

struct Disturbance {
  std::shared_ptr<const Behaviour> behaviour;  // of the account; null: everything is off
  RequestFacts facts;
  std::optional<FaultHit> fault;
  bool is_committed = false;  // the request has written
};

}  // namespace rocktable
