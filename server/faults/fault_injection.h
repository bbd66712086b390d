// Makes requests to the table service fail, wait or slow down, by fault rules and by the simulated behaviour of
// accounts.
#pragma once

#include <string_view>

#include "server/calls/call_wrapper.h"
#include "server/faults/faults.h"

namespace rocktable {

class FaultInjection final : public CallWrapper {
 public:
  // `faults` must outlive it.
  explicit FaultInjection(Faults& faults) : faults_(faults) {}

  bool is_on() const override { return faults_.plan.is_active() || faults_.behaviours.is_active(); }
  std::unique_ptr<Call> accept(TableService& service, const Request& request) override;

  // What happens to a TLS handshake of a client that wants to reach this name, which may begin with an account.
  HandshakeFault decide_on_handshake(std::string_view server_name);

 private:
  Faults& faults_;
};

}  // namespace rocktable
