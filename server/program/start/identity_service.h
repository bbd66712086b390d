// The local identities of --identity in a running server: their tokens, their roles, and the endpoint that issues them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/time_source.h"
#include "server/access/roles/role_document.h"
#include "server/identity/identity_report.h"
#include "server/identity/local_identities.h"
#include "server/program/beside/identity_listener.h"
#include "server/program/options/options.h"
#include "server/program/start/startup_report.h"

namespace rocktable {

// The identities, and the roles that the options give them. Throws FileError for a role that does not exist.
RoleDocument roles_of_identities(const Options& options);

class IdentityService {
 public:
  // Listens. `options` has at least one identity. Throws ServerError.
  IdentityService(const Options& options, const InstanceSecret& secret, std::shared_ptr<const TimeSource> time);

  // For TokenRules. May outlive this object.
  std::function<Result<void>(std::string_view token, const BearerClaims& claims)> check_signature() const;

  // Where programs get tokens.
  IdentityReport report() const;

  // Adds it.
  void add_to(StartupReport& report) const;

 private:
  std::shared_ptr<const LocalIdentities> identities_;
  IdentityListener listener_;
};

}  // namespace rocktable
