// The local identities of an instance: issues their tokens, and recognizes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "odata/error.h"
#include "odata/protocol/bearer_token.h"
#include "odata/protocol/local_identity.h"
#include "odata/protocol/shared_key.h"
#include "server/identity/instance_secret.h"

namespace rocktable {

// Immutable, thread-safe.
class LocalIdentities {
 public:
  // `identities`: at least one; the first one is that of who names none.
  LocalIdentities(std::vector<LocalIdentity> identities, const InstanceSecret& secret);

  const std::vector<LocalIdentity>& all() const { return identities_; }

  // What a program must know to get a token, in the header X-IDENTITY-HEADER. From the instance's secret.
  const std::string& header() const { return header_; }

  static constexpr std::int64_t kLifetimeSeconds = 24 * 3600;  // as in the cloud

  // Returns a token of version 1 for a resource (the audience), valid from `now` on, signed with HMAC-SHA256.
  // Source: learn.microsoft.com/entra/identity-platform/access-token-claims-reference
  std::string issue(const LocalIdentity& identity, std::string_view resource, DateTime now) const;

  // Whether a token that claims the tenant of local identities was issued by this instance. Tokens of other tenants pass:
  // they cannot be one of these identities. Errors: InvalidBearerToken.
  Result<void> check_signature(std::string_view token, const BearerClaims& claims) const;

 private:
  std::string signature_of(std::string_view signed_part) const;

  std::vector<LocalIdentity> identities_;
  AccountKey key_;
  std::string header_;
};

}  // namespace rocktable
