// Accepts requests: finds out for which service each is. Uses no socket, and never waits for the network.
#pragma once

#include "server/call_holder.h"
#include "server/calls/call_wrapper.h"
#include "server/calls/table_service.h"
#include "server/control/control_api.h"
#include "server/request/request.h"
#include "server/request/response.h"

namespace rocktable {

// Whether a request is for the control API, or for what comes through it.
bool is_for_control(const Request& request);

// Thread-safe.
class Service {
 public:
  // All must outlive it. `wrapper`: of calls to the table service.
  Service(TableService& tables, const ControlApi& control, CallWrapper& wrapper)
      : tables_(tables), control_(control), wrapper_(wrapper) {}

  // Accepts the request in `call`. Never throws.
  void accept(const Request& request, CallHolder& call) const;

  // Whether accept() may wait for another machine, which has access policies and CORS rules.
  bool accept_waits(const Request& request) const;

  // Returns the response to input that is not a valid request: malformed HTTP, a body that is too large.
  Response refuse(const Error& error, StorageService service) const;

  // Makes the service report from now on that it is not ready.
  void begin_stop() { tables_.stopping = true; }

  // Calls that wait for the store end soon from now on.
  void stop_waiting_for_store() { tables_.store.stop_waiting(); }

  // Whether the store waits for another machine.
  bool waits_for_store() const { return tables_.store.is_remote(); }

  // For those who observe requests.
  TableService& tables() { return tables_; }

 private:
  void accept_owner(const Request& request, CallHolder& call) const;

  TableService& tables_;
  const ControlApi& control_;
  CallWrapper& wrapper_;
};

}  // namespace rocktable
