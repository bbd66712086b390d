// The emulator as a whole: composes the table service, the control API, and what is optional around them.
#pragma once

#include "server/access/accounts.h"
#include "server/behaviour/behaviours.h"
#include "server/behaviour/simulated_store.h"
#include "server/calls/table_service.h"
#include "server/control/control_api.h"
#include "server/faults/fault_injection.h"
#include "server/identity/identity_report.h"
#include "server/service.h"
#include "storage/store.h"

namespace rocktable {

struct EmulatorOptions {
  ServiceOptions service = {};
  bool explorer = true;            // serve the pages of /_rocktable/
  Behaviour behaviour = {};        // of all accounts
  IdentityReport identities = {};  // what the control API tells of local identities
};

class Emulator {
 public:
  // The store must outlive it.
  Emulator(Store& store, Accounts accounts, const EmulatorOptions& options = {});

  Service& service() { return service_; }
  TableService& tables() { return tables_; }
  // The rules that decide which requests fail.
  FaultPlan& faults() { return faults_.plan; }
  FaultInjection& fault_injection() { return fault_injection_; }

 private:
  Behaviours behaviours_;
  SimulatedStore simulated_store_;
  TableService tables_;
  Faults faults_;
  FaultInjection fault_injection_;
  ControlApi control_;
  Service service_;
};

}  // namespace rocktable
