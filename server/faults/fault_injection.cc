#include "server/faults/fault_injection.h"

#include "server/faults/faulty_call.h"

namespace rocktable {

std::unique_ptr<Call> FaultInjection::accept(TableService& service, const Request& request) {
  return std::make_unique<FaultyCall>(faults_, service, request);
}

HandshakeFault FaultInjection::decide_on_handshake(std::string_view server_name) {
  RequestFacts facts;
  const auto dot = server_name.find('.');
  if (dot != server_name.npos) facts.account = server_name.substr(0, dot);
  const auto hit = faults_.plan.decide_on_handshake(facts, faults_.time.now());
  return hit ? hit->effect.handshake : HandshakeFault::None;
}

}  // namespace rocktable
