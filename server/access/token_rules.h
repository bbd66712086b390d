// Which bearer tokens count, and how they are checked.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "odata/error.h"
#include "odata/protocol/bearer_token.h"
#include "server/access/delegation/delegation_keys.h"
#include "server/access/roles/roles.h"

namespace rocktable {

struct TokenRules {
  bool accepted = false;  // bearer tokens are accepted, over HTTPS

  // What a token must have beside its claims, such as a signature of this instance. Called after the claims were read
  // and before they are checked. Empty: nothing. Thread-safe. Errors: AuthenticationFailed, InvalidBearerToken; the
  // message is for people who debug.
  std::function<Result<void>(std::string_view token, const BearerClaims& claims)> check_signature = {};

  // Identities of this instance, which roles may name without defining them.
  std::vector<RoleIdentity> known_identities = {};

  // Without roles a token permits everything. Never null.
  std::shared_ptr<Roles> roles = std::make_shared<Roles>();

  // The keys of user delegation SAS. Null: none are issued and none counts.
  std::shared_ptr<DelegationKeys> delegation = {};
};

// Reads and checks a token for an account. Errors: those of TokenRules::check_signature and of bearer_token.h, with
// their messages.
Result<BearerClaims> check_token(const TokenRules& rules, std::string_view token, std::string_view account,
                                 DateTime now);

}  // namespace rocktable
