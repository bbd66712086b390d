#include "server/emulator.h"

#include <utility>

namespace rocktable {

// The control API works on the store itself: what it counts, seeds and resets is whole.
Emulator::Emulator(Store& store, Accounts accounts, const EmulatorOptions& options)
    : behaviours_(options.behaviour),
      simulated_store_(store, behaviours_, *options.service.time),
      tables_(simulated_store_, std::move(accounts), options.service),
      faults_{behaviours_, *options.service.time},
      fault_injection_(faults_),
      control_(
          {.statistics = tables_.statistics,
           .metrics = tables_.metrics,
           .insight = tables_.insight,
           .recent_requests = tables_.recent_requests,
           .stopping = tables_.stopping,
           .store = store,
           .serves_account =
               [this](std::string_view account) { return tables_.authenticator.require_account(account).has_value(); },
           .has_public_key =
               [this](std::string_view account) { return tables_.authenticator.accounts().has_public_key(account); },
           .key_of =
               [this](std::string_view account) { return tables_.authenticator.accounts().keys_of(account)->front(); },
           .named_accounts = [this] { return tables_.authenticator.accounts().names(); },
           .settings_changed = [this] { tables_.cors_rules.forget_all(); },
           .time = *options.service.time,
           .behaviours = behaviours_,
           .faults = faults_.plan,
           .retries = faults_.retries,
           .tokens = tables_.authenticator.tokens(),
           .permissions = tables_.permissions,
           .identities = options.identities},
          options.service.control, tables_.authenticator, options.explorer),
      service_(tables_, control_, fault_injection_) {}

}  // namespace rocktable
