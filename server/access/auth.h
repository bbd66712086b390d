// Who calls: Shared Key, Shared Key Lite, account SAS and table SAS with stored access policies, bearer tokens.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "odata/error.h"
#include "server/access/accounts.h"
#include "server/access/caller.h"
#include "server/operation.h"
#include "server/request.h"
#include "server/table_acl.h"
#include "server/target.h"

namespace rocktable {

// The signed identifiers of a table; none where there is no such table.
using FindIdentifiers =
    std::function<std::vector<SignedIdentifier>(std::string_view account, std::string_view table)>;

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

  // Why authenticate() refuses, in sentences that hold no key and no signature (auth_explanation.h).
  std::string explain(const Request& request, const Target& target, bool secure, DateTime now,
                      const Error& error) const;

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

// What an operation asks of its caller; a batch by itself nothing, for each of its operations is asked on its
// own.
std::optional<RequiredAccess> required_access(const Operation& operation);

// Whether the caller may do this at all. Keys in a request's body are checked where the body is read.
//
// Errors: those of authorize() above (no signature grants an ACL), AuthorizationFailure (a table that the SAS
// does not name, a write to a key out of reach), ResourceNotFound (reading a key out of reach; access policies
// for a bearer token).
Result<void> authorize(const Caller& caller, const Operation& operation);

}  // namespace rocktable
