// Who calls: Shared Key, Shared Key Lite, account SAS and table SAS with stored access policies, bearer tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "odata/error.h"
#include "server/access/accounts.h"
#include "server/access/signed_identifiers.h"
#include "server/request/caller.h"
#include "server/request/request.h"
#include "server/request/target.h"

namespace rocktable {

class Authenticator {
 public:
  // `bearer_tokens`: whether they are taken, over HTTPS.
  Authenticator(Accounts accounts, FindIdentifiers find_identifiers, bool bearer_tokens = false)
      : accounts_(std::move(accounts)),
        find_identifiers_(std::move(find_identifiers)),
        bearer_tokens_(bearer_tokens) {}

  // Errors: ResourceNotFound.
  Result<void> require_account(std::string_view account) const;

  // Says who calls. Thread-safe. In a SAS the signature is checked first, so that whoever has none learns
  // nothing else.
  //
  // Errors: ResourceNotFound (no such account), NoAuthenticationInformation (no credentials),
  // InvalidAuthenticationInfo (no or an unknown scheme), AuthenticationFailed (signature, account, a date
  // that is missing or more than 15 minutes off; of a SAS also its time, its policy, a field both in it and
  // in its policy or in neither; a bearer token where none is taken, over HTTP, or malformed), InvalidBearerToken (its
  // lifetime, issuer or audience), AuthorizationSourceIPMismatch, AuthorizationProtocolMismatch,
  // AuthorizationServiceMismatch.
  Result<Caller> authenticate(const Request& request, const Target& target, bool secure, DateTime now) const;

  // Whether a request for a resource that belongs to no account has a Shared Key (Lite) that an account
  // signed which it names: over `/account` and the target, of now. `secret`: not by the key that everybody
  // knows. Thread-safe.
  bool is_signed_by_an_account(const Request& request, DateTime now, bool secret) const;

  // What authenticate() decides by: for who explains its refusals (refusal_explanation.h).
  const Accounts& accounts() const { return accounts_; }
  const FindIdentifiers& find_identifiers() const { return find_identifiers_; }
  bool takes_bearer_tokens() const { return bearer_tokens_; }

 private:
  Result<Caller> authenticate_key(const Request& request, const Target& target, DateTime now,
                                  const std::vector<std::string>& keys) const;
  Result<Caller> authenticate_sas(const Request& request, const Target& target, bool secure, DateTime now,
                                  const std::vector<std::string>& keys) const;
  Result<Caller> authenticate_token(std::string_view token, const Target& target, bool secure,
                                    DateTime now) const;

  Accounts accounts_;
  FindIdentifiers find_identifiers_;
  bool bearer_tokens_;
};

}  // namespace rocktable
