// The single checks of Authenticator::authenticate(), also used by refusal_explanation.h and
// control_access.h. Defined in authenticator.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "odata/error.h"
#include "odata/protocol/headers.h"
#include "odata/protocol/sas.h"
#include "server/access/signed_identifiers.h"
#include "server/request/request.h"
#include "server/request/target.h"

namespace rocktable {

// The part of an Authorization header before its first blank; all of it if there is none.
std::string_view scheme_of(std::string_view authorization);

// `SharedKey account:signature`, `SharedKeyLite account:signature`.
struct Credentials {
  bool lite;
  std::string_view account;
  std::string_view signature;
};

// Errors: InvalidAuthenticationInfo.
Result<Credentials> parse_credentials(std::string_view authorization);

// The token of `Bearer token`; nullopt for another scheme.
std::optional<std::string_view> bearer_token_of(std::string_view authorization);

// True for the account name itself, and for the name of its secondary location.
bool names_account(const Credentials& credentials, const Target& target);

// x-ms-date; Date if there is none.
std::string_view date_of(const Headers& headers);
bool is_current(std::string_view date, DateTime now);

// The targets that clients may have signed: the target as sent; in path style, also the target with the
// primary location in place of the secondary one, or without the secondary location if it precedes the
// primary one (see parse_target); each also with literal quotes instead of %27.
std::vector<std::string> signed_targets(const Request& request, const Target& target);

bool is_signed(std::string_view text, std::string_view signature, const std::vector<std::string>& keys);

// A row key bound (srk, erk) needs its partition key bound (spk, epk). Ignoring a lone row key would grant
// more than the issuer intended.
bool has_complete_bounds(const SasParameters& sas);

// Fills empty fields of `sas` from the stored access policy. Returns false if a field is set in both.
bool apply_policy(const SignedIdentifier& policy, SasParameters& sas);

// Whether there is a letter, and each is one of `known`.
bool has_letters_of(std::string_view known, std::string_view letters);

// Returns whether `sas`, after apply_policy(), has all mandatory fields except the expiry, which is_within_validity()
// checks. Services and resource types must be letters that exist.
bool is_complete(const SasParameters& sas);

// The start is optional; the expiry is mandatory.
bool is_within_validity(const SasParameters& sas, DateTime now);

// `allowed`: the field `sip`, an address or `first-last`. The service supports only IPv4. The IPv6 loopback
// counts as 127.0.0.1.
bool is_allowed_ip(const std::string& allowed, std::string_view remote);

}  // namespace rocktable
