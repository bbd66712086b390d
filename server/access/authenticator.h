// Authentication: Shared Key, Shared Key Lite, account SAS, table SAS with stored access policies, user delegation SAS,
// bearer tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "odata/error.h"
#include "server/access/accounts.h"
#include "server/access/signed_identifiers.h"
#include "server/access/token_rules.h"
#include "server/request/caller.h"
#include "server/request/request.h"
#include "server/request/target.h"

namespace rocktable {

// What the times of credentials are compared with.
struct AccessTimes {
  AccessTimes(DateTime time) : AccessTimes(time, time) {}  // NOLINT(google-explicit-constructor): mostly they are one
  AccessTimes(DateTime time, DateTime of_clients) : now(time), clients(of_clients) {}

  DateTime now;
  DateTime clients;  // a signature by an account key may also have a date near this one
};

// Whether a signature by an account key may have this date.
bool is_current(std::string_view date, AccessTimes times);

class Authenticator {
 public:
  Authenticator(Accounts accounts, FindIdentifiers find_identifiers, TokenRules tokens = {})
      : accounts_(std::move(accounts)), find_identifiers_(std::move(find_identifiers)), tokens_(std::move(tokens)) {}

  // Errors: ResourceNotFound.
  Result<void> require_account(std::string_view account) const;

  // Returns the caller. Thread-safe. The signature of a SAS is checked first, so that a caller without a
  // valid signature learns nothing else.
  //
  // Errors: ResourceNotFound (no such account), NoAuthenticationInformation (no credentials),
  // InvalidAuthenticationInfo (missing or unknown scheme), AuthenticationFailed (signature; account; date
  // missing or more than 15 minutes off; for a SAS also its time, its policy, a field set both in the SAS and
  // in its policy, or in neither; a bearer token that is malformed, came over HTTP, or is not accepted),
  // InvalidBearerToken (lifetime, issuer or audience), AuthorizationSourceIPMismatch,
  // AuthorizationProtocolMismatch, AuthorizationServiceMismatch.
  Result<Caller> authenticate(const Request& request, const Target& target, bool secure, AccessTimes times) const;

  // The checked bearer token of a request; nullopt if its Authorization header is none of a token. Errors: those of
  // check_token(), with their messages; AuthenticationFailed: tokens are not accepted, or not over HTTP.
  std::optional<Result<BearerClaims>> token_of(const Request& request, const Target& target, bool secure,
                                               DateTime now) const;

  // For resources that belong to no account. Returns whether the request has a current Shared Key signature, by
  // the account that it names, over the method, `/account` and the target. `secret`: the well-known key does not
  // count. Shared Key Lite does not count: it signs no method, so that whoever sees a signature of a GET could
  // send a DELETE. Thread-safe.
  bool is_signed_by_account(const Request& request, DateTime now, bool secret) const;

  // The state behind authenticate(), for refusal_explanation.h.
  const Accounts& accounts() const { return accounts_; }
  const FindIdentifiers& find_identifiers() const { return find_identifiers_; }
  const TokenRules& tokens() const { return tokens_; }

 private:
  Result<Caller> authenticate_key(std::string_view authorization, const Request& request, const Target& target,
                                  AccessTimes times, const std::vector<std::string>& keys) const;
  Result<Caller> authenticate_sas(const Request& request, const Target& target, bool secure, DateTime now,
                                  const std::vector<std::string>& keys) const;
  Result<void> check_delegation_sas(const SasParameters& sas, const Request& request, const Target& target, bool secure,
                                    DateTime now) const;
  Result<void> check_account_signature(SasParameters& sas, const Request& request, const Target& target, DateTime now,
                                       const std::vector<std::string>& keys) const;
  Result<Caller> authenticate_token(std::string_view token, const Target& target, bool secure, DateTime now) const;

  Accounts accounts_;
  FindIdentifiers find_identifiers_;
  TokenRules tokens_;
};

}  // namespace rocktable
