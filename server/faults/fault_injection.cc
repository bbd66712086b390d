#include "server/faults/fault_injection.h"

#include "server/faults/faulty_call.h"

namespace rocktable {

std::unique_ptr<Call> FaultInjection::accept(TableService& service, const Request& request) {
  return std::make_unique<FaultyCall>(faults_, service, request);
}

}  // namespace rocktable
